#include "simulator/engine/recurrence/ring_kernel.hpp"

// One binary serves processors with and without AVX2; the loader chooses.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define GRADWIRE_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define GRADWIRE_CLONES
#endif

namespace gradwire {

GRADWIRE_CLONES void ring_round(const double* __restrict now, const double* __restrict cost,
                                double* __restrict next, std::size_t n) {
  for (std::size_t i = 1; i < n; ++i) {
    const double own = now[i] + cost[i];
    const double received = now[i - 1] + cost[i - 1];
    next[i] = own > received ? own : received;
  }
  const double own = now[0] + cost[0];
  const double received = now[n - 1] + cost[n - 1];
  next[0] = own > received ? own : received;
}

GRADWIRE_CLONES void ring_costs(const double* __restrict bytes,
                                const double* __restrict seconds_per_byte, double alpha,
                                double* __restrict cost, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) cost[i] = alpha + bytes[i] * seconds_per_byte[i];
}

}  // namespace gradwire
