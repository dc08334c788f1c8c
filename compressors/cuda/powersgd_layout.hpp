#pragma once

#include <cstdint>
#include <vector>

#include "compressors/cuda/device_registry.hpp"

namespace gradwire {

/// A tensor of which PowerSGD sends factors: rows x columns, from element `begin` of the gradient,
/// with its P (rows x rank) and Q (columns x rank) from those places of all P and all Q.
struct CompressedMatrix {
  std::int64_t begin = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  int rank = 0;
  std::int64_t first_p = 0;
  std::int64_t first_q = 0;
};

/// A tensor that is sent as it is, from element `first` of that message on.
struct PlainTensor {
  std::int64_t begin = 0;
  std::int64_t elements = 0;
  std::int64_t first = 0;
};

/// What PowerSGD does with each tensor, as its scheme says.
struct PowerSgdLayout {
  std::vector<CompressedMatrix> matrices;
  std::vector<PlainTensor> plain;
  std::int64_t plain_elements = 0;
  std::int64_t p_elements = 0;
  std::int64_t q_elements = 0;

  /// Of round 0 the plain tensors and P, of round 1 Q, where there are any.
  std::vector<DType> messages(int round) const {
    const std::size_t factors = matrices.empty() ? 0 : 1;
    const std::size_t others = round == 0 && !plain.empty() ? 1 : 0;
    return std::vector<DType>(factors + others, DType::kFloat32);
  }
};

PowerSgdLayout make_powersgd_layout(const DeviceSetting& setting);

}  // namespace gradwire
