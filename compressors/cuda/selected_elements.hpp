#pragma once

#include <cstdint>
#include <span>

#include "compressors/cuda/device_registry.hpp"
#include "compressors/reference/random.hpp"

namespace gradwire {

/// What elements are compared by: the bits of their magnitude, which are in order as magnitudes
/// are. Infinities and NaN count as the largest finite float32, as selection_magnitude has it.
///
/// An element is taken where its key is at least `all_from`; of those below, at least `some_from`,
/// `missing` neighbours (in the order of the elements, passing over all others) are taken as well.
struct SelectionBounds {
  std::uint32_t all_from = 0;
  std::uint32_t some_from = 0;
};

/// Of indices of 4 or 8 bytes.
constexpr DType index_type(std::int64_t index_bytes) {
  return index_bytes == 8 ? DType::kInt64 : DType::kInt32;
}

constexpr std::uint32_t kAboveEveryKey = 0x7f800000;

/// Takes exactly k elements of a vector by bounds that kernels found: positions ascending, in
/// three kernels that read the vector twice.
class SelectedElements {
 public:
  /// Where the run of neighbours begins.
  enum class Run { kFirst, kRandom };

  /// `index_bytes`: 4 or 8.
  SelectedElements(std::int64_t elements, std::int64_t k, std::int64_t index_bytes, Run run,
                   RandomKey key);

  /// Writes the `k` values and indices. `bounds` in device memory, and such that at most k elements
  /// reach `all_from` and at least k reach `some_from`; `exchange` is the number of the exchange.
  /// What is taken becomes 0 in `cleared` (n elements, `vector` itself when it is a memory; or
  /// null).
  void write(const float* vector, float* cleared, const SelectionBounds* bounds,
             const std::uint32_t* exchange, float* values, void* indices, Stream stream);

 private:
  std::int64_t elements_;
  std::int64_t k_;
  std::int64_t index_bytes_;
  Run run_;
  RandomKey key_;
  DeviceArray<std::int64_t> taken_;  // before each region of a warp; the last: in all
  DeviceArray<std::int64_t> between_;
  DeviceArray<std::int64_t> first_;  // of the run among those between
};

/// Sums what all ranks selected into `averaged` (n elements), in the order of the ranks, and
/// divides by them: bit by bit what the reference does, and the same on all ranks. One kernel; each
/// rank's indices are ascending. `values` and `indices`: k of each rank.
void average_selected(const float* values, const void* indices, std::int64_t index_bytes,
                      std::int64_t k, int ranks, std::int64_t elements, float* averaged,
                      Stream stream);

/// memory[i] += gradient[i].
void add_gradient(const float* gradient, std::int64_t elements, float* memory, Stream stream);

}  // namespace gradwire
