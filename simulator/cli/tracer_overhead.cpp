#include "simulator/cli/tracer_overhead.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/unit_text.hpp"

namespace gradwire {
namespace {

/// Below this a median of iterations says little; a matter of taste, and only worded.
constexpr std::size_t kFewIterations = 10;

/// The mean of the middle two for an even count.
Seconds median(std::vector<Nanoseconds> times) {
  std::sort(times.begin(), times.end());
  const std::size_t middle = times.size() / 2;
  const Seconds upper = times[middle];
  return times.size() % 2 == 1 ? upper : (upper + Seconds{times[middle - 1]}) / 2;
}

std::string difference(Seconds plain, Seconds traced) {
  const double ratio = traced / plain;
  const double per_cent = std::abs(ratio - 1) * 100;
  return fmt::format("ratio {:.4f}, {:.2f} % {}", ratio, per_cent, ratio < 1 ? "less" : "more");
}

}  // namespace

std::vector<Nanoseconds> iteration_times(const std::vector<CaptureOverview>& captures,
                                         std::size_t skip, std::size_t count) {
  std::vector<Nanoseconds> times;
  for (const CaptureOverview& capture : captures) {
    const std::size_t from = std::min(skip, capture.iterations.size());
    const std::size_t size = std::min(count, capture.iterations.size() - from);
    const auto begin = capture.iterations.begin() + static_cast<std::ptrdiff_t>(from);
    times.insert(times.end(), begin, begin + static_cast<std::ptrdiff_t>(size));
  }
  return times;
}

std::string overhead_text(const RunTimes& plain, const RunTimes& traced) {
  if (plain.iterations.empty() || traced.iterations.empty()) {
    return fmt::format(
        "--ab: no two iterations were marked, so only the whole runs can be compared, start-up "
        "included: {} with marks alone, {} traced ({})\n",
        format_duration(plain.whole), format_duration(traced.whole),
        difference(plain.whole, traced.whole));
  }
  const Seconds before = median(plain.iterations);
  const Seconds after = median(traced.iterations);
  std::string text = fmt::format(
      "--ab: {} an iteration with marks alone (median of {}), {} traced (median of {}): {}\n",
      format_duration(before), plain.iterations.size(), format_duration(after),
      traced.iterations.size(), difference(before, after));
  if (std::min(plain.iterations.size(), traced.iterations.size()) < kFewIterations) {
    text += fmt::format("--ab: under {} iterations of a run say little about per cents\n",
                        kFewIterations);
  }
  return text;
}

}  // namespace gradwire
