#include "simulator/questions/break_even_band.hpp"

#include <cmath>

#include "simulator/scenario/what_if.hpp"

namespace gradwire {
namespace {

/// By how many times the values grow inside the intervals, as a logarithm.
double extent_of(const std::vector<BreakEvenInterval>& intervals) {
  double extent = 0.0;
  for (const BreakEvenInterval& interval : intervals)
    extent += std::log(interval.to / interval.from);
  return extent;
}

/// Nothing is less than the narrowest stretch, were it a single whole number.
bool is_narrower(const std::vector<BreakEvenInterval>& one,
                 const std::vector<BreakEvenInterval>& other) {
  if (one.empty() || other.empty()) return one.empty() && !other.empty();
  return extent_of(one) < extent_of(other);
}

}  // namespace

std::optional<BreakEvenBand> break_even_band(const BreakEvenQuestion& question,
                                             const Assumptions& assumptions,
                                             const BreakEven& found) {
  if (found.simulated) return std::nullopt;
  BreakEvenBand band{found.holds, found.holds};
  for (const double compute : {assumptions.compute_low, assumptions.compute_high}) {
    for (const double slowdown : {assumptions.slowdown_low, assumptions.slowdown_high}) {
      for (const Seconds latency : {assumptions.latency_low, assumptions.latency_high}) {
        BreakEvenQuestion corner = question;
        corner.scenario = with_faster_compute(std::move(corner.scenario), 1.0 / compute);
        corner.scenario.overlap_slowdown = slowdown;
        corner.scenario.cluster.nic.latency = latency;
        const BreakEven there = find_break_even(corner, found.unknown, found.goal, found.range);
        if (is_narrower(there.holds, band.narrowest)) band.narrowest = there.holds;
        if (is_narrower(band.widest, there.holds)) band.widest = there.holds;
      }
    }
    if (assumptions.compute_low == assumptions.compute_high) break;
  }
  return band;
}

}  // namespace gradwire
