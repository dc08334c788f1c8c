#include "simulator/questions/measured_iteration.hpp"

#include <algorithm>

#include "simulator/timeline/measured_timeline.hpp"
#include "simulator/workload/iteration_finder.hpp"
#include "simulator/workload/trace_fitness.hpp"

namespace gradwire {

std::optional<MeasuredIteration> measured_iteration(const Trace& trace, const std::string& name,
                                                    std::optional<std::int32_t> index) {
  if (!index) index = find_representative_iteration(trace);
  if (!index) return std::nullopt;
  const ChosenIteration chosen = choose_iteration(trace, name, *index);
  MeasuredIteration measured;
  measured.trace = name;
  measured.iteration = trace.iterations[static_cast<std::size_t>(*index)].number;
  measured.timeline = measured_timeline(trace, chosen.backward, chosen.device);
  const auto& intervals = measured.timeline.intervals;
  const bool communicates = std::any_of(
      intervals.begin(), intervals.end(),
      [](const Interval& interval) { return interval.activity == Activity::kCommunication; });
  if (!communicates) return std::nullopt;
  for (const Gradient* gradient : chosen.gradients) {
    const Nanoseconds ready =
        std::clamp(gradient->ready, chosen.backward.start, chosen.backward.end);
    measured.gradients.push_back(
        {measured.timeline.last_rank, ready - chosen.backward.start, gradient->parameter,
         elements_of(*gradient).value() * element_size(gradient->dtype).value()});
  }
  std::stable_sort(measured.gradients.begin(), measured.gradients.end(),
                   [](const auto& a, const auto& b) { return a.time < b.time; });
  return measured;
}

}  // namespace gradwire
