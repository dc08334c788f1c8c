#include "simulator/study/validation.hpp"

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "simulator/study/estimator.hpp"

namespace gradwire {
namespace {

/// Ready times, buckets in order, one ring after the other at a share of the links' rate; no
/// latency, no slow-down.
Seconds baseline_time(const Scenario& scenario, double efficiency) {
  const double share = 2.0 * (scenario.workers - 1) / scenario.workers;
  const Scheme* scheme = scenario.compression.scheme.get();
  Seconds end{0};
  for (const Bucket& bucket : make_buckets(scenario.workload->gradients, scenario.caps)) {
    const Bytes size = scheme != nullptr ? *scheme->cast_size() : *element_size(bucket.dtype);
    const Seconds transfer =
        bucket.elements * size / (scenario.cluster.nic.bandwidth * efficiency) * share;
    end = std::max(end, bucket.ready) + transfer;
  }
  return std::max(end, scenario.workload->backward_span);
}

ErrorSummary baseline_errors(const ValidationSet& set, double efficiency) {
  std::vector<double> errors;
  for (const ValidationCase& item : set.cases) {
    errors.push_back(scored_error(baseline_time(item.scenario, efficiency), item));
  }
  return summary_of(std::move(errors));
}

}  // namespace

double scored_error(Seconds predicted, const ValidationCase& validation) {
  if (predicted >= validation.low && predicted <= validation.high) return 0.0;
  return std::abs(predicted / validation.measured - 1.0);
}

ErrorSummary summary_of(std::vector<double> errors) {
  GW_CHECK(!errors.empty(), "a summary needs an error");
  std::sort(errors.begin(), errors.end());
  const auto rank = static_cast<std::size_t>(std::ceil(0.9 * static_cast<double>(errors.size())));
  return {errors[(errors.size() - 1) / 2], errors[rank - 1], errors.back()};
}

ValidationResult validate(const ValidationSet& set) {
  ValidationResult result;
  result.set = &set;
  std::optional<ErrorSummary> best;
  for (int percent = 50; percent <= 100; ++percent) {
    const double efficiency = percent / 100.0;
    const ErrorSummary errors = baseline_errors(set, efficiency);
    if (best && errors.median >= best->median) continue;
    best = errors;
    result.baseline_efficiency = efficiency;
  }
  result.baseline = *best;
  std::vector<double> errors;
  for (const ValidationCase& item : set.cases) {
    const auto predict = [&](Estimator estimator) {
      return estimate(item.scenario, estimator).backward_sync;
    };
    result.cases.push_back({&item, predict(Estimator::kSimgrid), predict(Estimator::kRecurrence),
                            predict(Estimator::kFormula),
                            baseline_time(item.scenario, result.baseline_efficiency)});
    errors.push_back(scored_error(result.cases.back().simgrid, item));
  }
  result.ours = summary_of(std::move(errors));
  return result;
}

}  // namespace gradwire
