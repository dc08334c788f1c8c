#include "simulator/workload/iteration_jitter.hpp"

#include "base/errors.hpp"
#include "simulator/workload/busy_time.hpp"
#include "simulator/workload/iteration_finder.hpp"

namespace gradwire {
namespace {

std::vector<Nanoseconds> lengths_of(const Trace& trace, const std::vector<BackwardMark>& marks,
                                    Replay replay, std::int32_t device) {
  std::vector<Nanoseconds> lengths;
  if (replay == Replay::kCompacted) {
    for (const BusyTime& busy : find_backward_busy_times(trace, marks, device)) {
      lengths.push_back(busy.total());
    }
  } else {
    for (const BackwardMark& mark : marks) lengths.push_back(mark.end - mark.start);
  }
  return lengths;
}

}  // namespace

std::vector<IterationFactor> find_iteration_factors(const Trace& trace, Replay replay,
                                                    Nanoseconds replayed, std::int32_t device) {
  GW_CHECK(replayed > Nanoseconds{0}, "iterations are compared with one that takes time");
  const std::vector<BackwardMark> marks = complete_backwards(trace);
  const std::vector<Nanoseconds> lengths = lengths_of(trace, marks, replay, device);
  std::vector<IterationFactor> factors;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    if (lengths[i] <= Nanoseconds{0}) continue;
    factors.push_back({marks[i].iteration, Seconds{lengths[i]} / Seconds{replayed}});
  }
  return factors;
}

}  // namespace gradwire
