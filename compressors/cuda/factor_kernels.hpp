#pragma once

#include <cstdint>

#include "compressors/cuda/device_runtime.hpp"
#include "compressors/reference/random.hpp"

namespace gradwire {

/// The most columns of a factor that the fused orthonormalisation takes.
constexpr int kMaxFactorColumns = 32;

/// A thin matrix, row by row, in device memory.
struct DeviceFactor {
  float* values = nullptr;
  std::int64_t rows = 0;
  int columns = 0;          // at most kMaxFactorColumns
  std::uint64_t first = 0;  // its first element's place among the elements of all such factors
};

/// Makes the columns of each factor orthonormal as `orthonormalise` of
/// compressors/reference/factor.hpp does, but in float32 with sums in double: one kernel, a block a
/// factor. `factors`: `count` of them in device memory. A dependent column becomes zero.
/// A factor with an element that is not finite becomes NaN.
void orthonormalise_factors(const DeviceFactor* factors, std::int64_t count, Stream stream);

/// The same, but dependent columns are drawn anew, until none is left, from `key`: `draws` counts
/// for each factor how often this was done. The numbers are the reference's within a few units in
/// the last place of double, rounded to float32.
void orthonormalise_or_draw_factors(const DeviceFactor* factors, std::int64_t count, RandomKey key,
                                    std::uint32_t* draws, Stream stream);

}  // namespace gradwire
