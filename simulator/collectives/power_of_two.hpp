#pragma once

#include <bit>

namespace gradwire {

/// The largest power of two among n ranks, for algorithms that exchange with partners at distances
/// of powers of two. The `extra` ranks left over, 0, 2, .. 2 extra - 2, hand what they have to the
/// rank behind them before the exchange and are handed the result after it (Thakur, Rabenseifner
/// and Gropp, IJHPCA 2005, section 4.5; MPICH's all-reduce).
struct PowerOfTwoCore {
  explicit PowerOfTwoCore(int ranks)
      : size(static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)))),
        exponent(std::countr_zero(static_cast<unsigned>(size))),
        extra(ranks - size) {}

  int size;      ///< ranks in the core, 2^exponent
  int exponent;  ///< rounds of an exchange with all distances
  int extra;     ///< below `size`

  /// The rank of the job that is number `member` of the core.
  int rank_of(int member) const { return member < extra ? 2 * member + 1 : member + extra; }
  /// Behind how many ranks of the job the ranks that `member` stands for begin: itself, and the one
  /// before it where that is left over.
  int ranks_before(int member) const { return member < extra ? 2 * member : member + extra; }
};

/// Rounds in which something can reach n ranks when all that have it pass it on: log2 n rounded up.
inline int doubling_rounds(int ranks) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(ranks - 1)));
}

}  // namespace gradwire
