#include "simulator/accuracy/gradient_check.hpp"

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"

namespace gradwire {
namespace {

/// The name of the tensor that holds `element`.
std::string tensor_of(const RecordedGradients& gradients, std::int64_t element) {
  std::size_t tensor = 0;
  while (element >= gradients.shapes[tensor].elements().count()) {
    element -= gradients.shapes[tensor].elements().count();
    ++tensor;
  }
  return gradients.names[tensor];
}

bool is_not_finite(float value) { return !std::isfinite(value); }

}  // namespace

std::vector<double> average_gradient(const std::vector<std::vector<float>>& gradients) {
  GW_CHECK(!gradients.empty(), "a rank");
  std::vector<double> average(gradients.front().begin(), gradients.front().end());
  for (std::size_t rank = 1; rank < gradients.size(); ++rank) {
    for (std::size_t i = 0; i < average.size(); ++i) {
      average[i] += static_cast<double>(gradients[rank][i]);
    }
  }
  for (double& value : average) value /= static_cast<double>(gradients.size());
  return average;
}

GradientCheck check_gradients(const RecordedGradients& gradients) {
  GradientCheck check;
  for (int iteration = 0; iteration < gradients.iterations; ++iteration) {
    const std::vector<std::vector<float>> all_ranks = gradients.read(iteration);
    bool finite = true;
    for (std::size_t rank = 0; rank < all_ranks.size(); ++rank) {
      const std::vector<float>& own = all_ranks[rank];
      const auto first = std::find_if(own.begin(), own.end(), is_not_finite);
      if (first == own.end()) continue;
      finite = false;
      check.non_finite.push_back({iteration, static_cast<int>(rank),
                                  std::count_if(first, own.end(), is_not_finite),
                                  tensor_of(gradients, first - own.begin())});
    }
    if (!finite) continue;
    const std::vector<double> average = average_gradient(all_ranks);
    if (std::all_of(average.begin(), average.end(), [](double value) { return value == 0.0; })) {
      check.zero_averages.push_back(iteration);
    }
  }
  return check;
}

}  // namespace gradwire
