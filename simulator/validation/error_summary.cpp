#include "simulator/validation/error_summary.hpp"

#include <algorithm>
#include <cmath>

namespace gradwire {

ErrorSummary summarize(std::vector<double> errors) {
  if (errors.empty()) return {};
  for (double& error : errors) error = std::abs(error);
  std::sort(errors.begin(), errors.end());
  const std::size_t n = errors.size();
  const auto tenths = static_cast<std::size_t>(ceil_divide(static_cast<std::int64_t>(9 * n), 10));
  return {(errors[(n - 1) / 2] + errors[n / 2]) / 2.0, errors[tenths - 1], errors.back()};
}

double raw_error(Seconds answer, const Measurement& measured) {
  return answer / measured.median - 1.0;
}

double scored_error(Seconds answer, const Measurement& measured, ErrorRule rule) {
  if (!measured.low) return raw_error(answer, measured);
  if (answer >= *measured.low && answer <= *measured.high) return 0.0;
  if (rule == ErrorRule::kMedian) return raw_error(answer, measured);
  const Seconds nearest = answer < *measured.low ? *measured.low : *measured.high;
  return (answer - nearest) / measured.median;
}

std::vector<AimCheck> check_aim(const Aim& aim, const ErrorSummary& reached,
                                const ErrorSummary& baseline) {
  std::vector<AimCheck> checks;
  const auto add = [&](const char* figure, std::optional<double> wanted, double value,
                       std::optional<double> of_baseline) {
    if (!wanted) return;
    const double bound =
        aim.baseline_share && of_baseline ? *aim.baseline_share * *of_baseline : *wanted;
    checks.push_back({figure, value, std::min(*wanted, bound)});
  };
  add("median", aim.median, reached.median, baseline.median);
  add("p90", aim.p90, reached.p90, baseline.p90);
  add("worst", aim.worst, reached.worst, std::nullopt);
  return checks;
}

}  // namespace gradwire
