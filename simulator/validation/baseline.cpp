#include "simulator/validation/baseline.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "simulator/validation/error_summary.hpp"

namespace gradwire {

Seconds baseline_time(const Scenario& scenario, BitsPerSecond link, double efficiency) {
  const double n = scenario.workers;
  const auto ring = [&](Bytes bytes) { return 2 * (n - 1) / n * (bytes / (link * efficiency)); };
  const Seconds span = scenario.workload->backward_span;
  const Scheme* scheme = scenario.compression.scheme.get();
  Seconds end{0};
  if (scheme != nullptr && !scheme->cast_size()) {
    end = span + scenario.compression.encode + scenario.compression.decode;
    return end + ring(wire_bytes(scheme->transfers(tensor_shapes(scenario.workload))));
  }
  for (const Bucket& bucket : make_buckets(scenario.workload->gradients, scenario.caps)) {
    const Bytes size = scheme != nullptr ? *scheme->cast_size() : *element_size(bucket.dtype);
    end = std::max(bucket.ready, end) + ring(bucket.elements * size);
  }
  return std::max(end, span);
}

double fit_baseline(const std::vector<BaselineCase>& cases) {
  double best = 1.0;
  std::pair<double, double> least{std::numeric_limits<double>::infinity(), 0.0};
  for (int step = 300; step <= 1000 && !cases.empty(); ++step) {
    const double efficiency = step / 1000.0;
    std::vector<double> errors;
    for (const BaselineCase& one : cases) {
      const Seconds answer = baseline_time(one.scenario, one.link, efficiency);
      errors.push_back(std::abs(answer / one.measured - 1.0));
    }
    const std::pair found{summarize(errors).median,
                          std::accumulate(errors.begin(), errors.end(), 0.0)};
    if (found >= least) continue;
    least = found;
    best = efficiency;
  }
  return best;
}

}  // namespace gradwire
