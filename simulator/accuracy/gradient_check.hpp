#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulator/accuracy/gradient_dump.hpp"

namespace gradwire {

/// One rank's gradient of one iteration that holds NaN or infinities.
struct NonFiniteGradient {
  int iteration = 0;
  int rank = 0;
  std::int64_t elements = 0;  ///< how many
  std::string tensor;         ///< the first one's

  bool operator==(const NonFiniteGradient&) const = default;
};

/// Iterations of which errors are not defined.
struct GradientCheck {
  std::vector<NonFiniteGradient> non_finite;  ///< by iteration, then by rank
  std::vector<int> zero_averages;  ///< iterations whose finite average is zero in every element
};

/// The average over the ranks, element by element, added in double in the order of the ranks.
std::vector<double> average_gradient(const std::vector<std::vector<float>>& gradients);

/// Reads every iteration once.
GradientCheck check_gradients(const RecordedGradients& gradients);

}  // namespace gradwire
