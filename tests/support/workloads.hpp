#pragma once

#include <random>
#include <string>
#include <vector>

#include "simulator/workload/workload.hpp"

namespace gradwire::test {

/// One gradient a bucket when the caps are small: `ready_ms` after the start, float32.
struct GradientAt {
  double ready_ms = 0.0;
  std::int64_t elements = 0;
};

/// A backward pass of `span_ms` with these gradients, vectors in ready order.
inline Workload workload_of(const std::vector<GradientAt>& gradients, double span_ms) {
  Workload workload;
  workload.name = "hand-made";
  for (const GradientAt& at : gradients) {
    ReadyGradient gradient;
    gradient.elements = Elements{at.elements};
    gradient.shape = {at.elements};
    gradient.ready = Seconds{at.ready_ms * 1e-3};
    workload.gradients.push_back(gradient);
  }
  workload.backward_span = Seconds{span_ms * 1e-3};
  workload.backward_busy = workload.backward_span;
  return workload;
}

/// 3 to 40 gradients of 1 to 4M elements over 5 to 100 ms; the last is ready at or before the end.
inline Workload random_workload(std::mt19937& random) {
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  std::vector<GradientAt> gradients;
  const int count = std::uniform_int_distribution<int>(3, 40)(random);
  double ready = 0.0;
  for (int i = 0; i < count; ++i) {
    ready += uniform(0.0, 5.0);
    gradients.push_back({ready, std::uniform_int_distribution<std::int64_t>(1, 4'000'000)(random)});
  }
  return workload_of(gradients, ready + uniform(0.0, 2.0));
}

}  // namespace gradwire::test
