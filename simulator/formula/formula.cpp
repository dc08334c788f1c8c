#include "simulator/formula/formula.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.hpp"
#include "simulator/collectives/registry.hpp"

namespace gradwire {
namespace {

struct CollectiveTime {
  Seconds total{0};
  Seconds latency{0};
};

CollectiveTime all_reduce_time(const Scenario& scenario, Elements elements, DType dtype) {
  const CollectiveCall call{CollectiveKind::kAllReduce, elements, element_size(dtype).value()};
  const auto schedule = make_schedule(call, scenario.workers);
  CollectiveTime time;
  for (const Phase& phase : schedule->phases()) {
    const PhaseCost cost =
        phase_cost(phase, call.element_size, scenario.cluster, scenario.latency_mode);
    time.total = schedule->closed_form(cost.latency_per_round, cost.slowest);
    time.latency = cost.latency(phase);
  }
  return time;
}

/// Compute on one device beside one communication stream that is busy from now until
/// `communication_end`.
class ComputeClock {
 public:
  explicit ComputeClock(double slowdown) : slowdown_(slowdown) {}

  Seconds now() const { return now_; }

  /// Does `work`; returns the interval it takes.
  Interval advance(Seconds work, Seconds communication_end) {
    Interval interval;
    interval.start = now_;
    interval.work = work;
    const Seconds busy = std::max(Seconds{0}, communication_end - now_);
    const Seconds disturbed = std::min(work * slowdown_, busy);
    now_ += disturbed + std::max(Seconds{0}, work - disturbed / slowdown_);
    interval.end = now_;
    return interval;
  }

 private:
  double slowdown_;
  Seconds now_{0};
};

Timeline pipeline(const Scenario& scenario) {
  Timeline timeline;
  timeline.workers = scenario.workers;
  ComputeClock clock(scenario.overlap_slowdown);
  Seconds done{0};  // work done so far
  Seconds communication_end{0};
  const auto compute_until = [&](Seconds work, std::string label) {
    Interval interval = clock.advance(std::max(Seconds{0}, work - done), communication_end);
    interval.op = static_cast<int>(timeline.intervals.size());
    interval.label = std::move(label);
    timeline.intervals.push_back(std::move(interval));
    done = std::max(done, work);
  };
  const std::vector<Bucket> buckets = scenario.workers > 1
                                          ? make_buckets(scenario.workload.gradients, scenario.caps)
                                          : std::vector<Bucket>{};
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    compute_until(buckets[i].ready, fmt::format("C{}", i));
    const CollectiveTime time = all_reduce_time(scenario, buckets[i].elements, buckets[i].dtype);
    Interval interval;
    interval.op = static_cast<int>(timeline.intervals.size());
    interval.activity = Activity::kCommunication;
    interval.label = fmt::format("A{}", i);
    interval.start = std::max(clock.now(), communication_end);
    interval.end = interval.start + time.total;
    interval.latency = time.latency;
    communication_end = interval.end;
    timeline.intervals.push_back(std::move(interval));
  }
  if (done < scenario.workload.backward_span || timeline.intervals.empty()) {
    compute_until(scenario.workload.backward_span, "C-tail");
  }
  timeline.end = std::max(clock.now(), communication_end);
  sort_intervals(timeline.intervals);
  return timeline;
}

/// Element counts of the study's equal buckets: as many of the cap as fit, then the remainder.
std::vector<Bucket> equal_buckets(const Scenario& scenario) {
  const DType dtype = scenario.workload.gradients.front().dtype;
  const std::int64_t cap = scenario.caps.rest.count() / element_size(dtype).value().count();
  std::vector<Bucket> buckets;
  std::int64_t left = scenario.workload.total_bytes().count() / element_size(dtype)->count();
  while (left > 0) {
    Bucket bucket;
    bucket.elements = Elements{std::min(left, std::max<std::int64_t>(1, cap))};
    bucket.dtype = dtype;
    left -= bucket.elements.count();
    buckets.push_back(std::move(bucket));
  }
  return buckets;
}

}  // namespace

IterationResult estimate_formula(const Scenario& scenario) {
  check_scenario(scenario);
  const auto& factors = scenario.compute_factors;
  if (std::any_of(factors.begin(), factors.end(), [](double factor) { return factor != 1.0; })) {
    throw InputError("the formula knows equal ranks only; use --engine recurrence or simgrid");
  }
  IterationResult result;
  result.estimator = "formula";
  result.timeline = pipeline(scenario);
  result.backward_sync = result.timeline.end;
  result.breakdown = breakdown_of(result.timeline, 0);
  return result;
}

Seconds study_form(const Scenario& scenario, LastBucket last, StudyBuckets kind) {
  check_scenario(scenario);
  const Seconds compute = scenario.workload.backward_span * scenario.overlap_slowdown;
  if (scenario.workers == 1) return scenario.workload.backward_span;
  const std::vector<Bucket> buckets = kind == StudyBuckets::kReal
                                          ? make_buckets(scenario.workload.gradients, scenario.caps)
                                          : equal_buckets(scenario);
  Seconds front{0};
  for (std::size_t i = 0; i + 1 < buckets.size(); ++i) {
    front += all_reduce_time(scenario, buckets[i].elements, buckets[i].dtype).total;
  }
  const Seconds tail =
      all_reduce_time(scenario, buckets.back().elements, buckets.back().dtype).total;
  return last == LastBucket::kOutside ? std::max(compute, front) + tail
                                      : std::max(compute, front + tail);
}

}  // namespace gradwire
