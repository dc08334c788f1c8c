#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulator/accuracy/gradient_dump.hpp"

namespace gradwire::test {

/// By iteration, then by rank.
using GradientsByIteration = std::vector<std::vector<std::vector<float>>>;

/// These gradients of tensors "t0", "t1", ...
inline RecordedGradients recorded(const std::vector<TensorShape>& shapes,
                                  const GradientsByIteration& gradients) {
  RecordedGradients recorded;
  for (const TensorShape& shape : shapes) {
    recorded.names.push_back("t" + std::to_string(recorded.names.size()));
    recorded.shapes.push_back(shape);
  }
  recorded.ranks = static_cast<int>(gradients.front().size());
  recorded.iterations = static_cast<int>(gradients.size());
  recorded.read = [gradients](int iteration) {
    return gradients.at(static_cast<std::size_t>(iteration));
  };
  return recorded;
}

/// Of one vector.
inline RecordedGradients recorded_vector(const GradientsByIteration& gradients) {
  return recorded({{{static_cast<std::int64_t>(gradients.front().front().size())}}}, gradients);
}

}  // namespace gradwire::test
