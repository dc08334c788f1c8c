#include "simulator/formula/formula.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/errors.hpp"
#include "simulator/scenario/contention.hpp"

namespace gradwire {
namespace {

struct CollectiveTime {
  Seconds total{0};
  Seconds latency{0};
};

CollectiveTime collective_time(const Scenario& scenario, CollectiveCall call) {
  call.elements = scaled_payload(call.elements, scenario.compression);
  const auto schedule = schedule_of(scenario, call);
  CollectiveTime time;
  for (const Phase& phase : schedule->phases()) {
    const PhaseCost cost =
        phase_cost(phase, call.element_size, scenario.cluster, scenario.latency_mode);
    time.total += cost.total(phase, call.element_size);
    time.latency += cost.latency(phase);
  }
  return time;
}

Seconds all_reduce_time(const Scenario& scenario, const Bucket& bucket) {
  const Bytes size = element_size(bucket.dtype).value();
  return collective_time(scenario, {CollectiveKind::kAllReduce, bucket.elements, size}).total;
}

/// Compute on one device beside one communication stream that is busy from now until
/// `communication_end`.
class ComputeClock {
 public:
  explicit ComputeClock(double slowdown) : slowdown_(slowdown) {}

  Seconds now() const { return now_; }
  void wait_until(Seconds time) { now_ = std::max(now_, time); }

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

/// The pipeline of one rank, written down as its timeline.
class Pipeline {
 public:
  explicit Pipeline(const Scenario& scenario)
      : scenario_(scenario), clock_(scenario.overlap_slowdown) {
    timeline_.workers = scenario.workers;
  }

  Timeline play() {
    const Scheme* scheme = scenario_.compression.scheme.get();
    const std::optional<Bytes> cast = scheme != nullptr ? scheme->cast_size() : std::nullopt;
    if (scenario_.workers > 1 && scheme != nullptr && !cast) {
      play_serial(*scheme);
    } else if (scenario_.workers > 1) {
      play_buckets(cast);
    }
    if (done_ < scenario_.workload->backward_span || timeline_.intervals.empty()) {
      compute_until(scenario_.workload->backward_span, "C-tail");
    }
    timeline_.end = std::max(clock_.now(), communication_end_);
    sort_intervals(timeline_.intervals);
    return std::move(timeline_);
  }

 private:
  void play_buckets(std::optional<Bytes> cast) {
    const std::vector<Bucket> buckets = make_buckets(scenario_.workload->gradients, scenario_.caps);
    for (std::size_t i = 0; i < buckets.size(); ++i) {
      compute_until(buckets[i].ready, fmt::format("C{}", i));
      const Bytes size = cast.value_or(element_size(buckets[i].dtype).value());
      communicate({CollectiveKind::kAllReduce, buckets[i].elements, size}, fmt::format("A{}", i));
    }
  }

  /// T_comp + T_encode + all collectives + T_decode: here pipeline and the study's form are one.
  void play_serial(const Scheme& scheme) {
    compute_until(scenario_.workload->backward_span, "C");
    device_task(Activity::kEncode, scenario_.compression.encode, "encode");
    for (const Transfer& transfer : scheme.transfers(tensor_shapes(scenario_.workload))) {
      communicate({transfer.kind, transfer.elements, transfer.element_size}, transfer.what);
    }
    clock_.wait_until(communication_end_);
    device_task(Activity::kDecode, scenario_.compression.decode, "decode");
  }

  void compute_until(Seconds work, std::string label) {
    add(clock_.advance(std::max(Seconds{0}, work - done_), communication_end_), Activity::kCompute,
        std::move(label));
    done_ = std::max(done_, work);
  }

  void device_task(Activity activity, Seconds work, std::string label) {
    add(clock_.advance(work, communication_end_), activity, std::move(label));
  }

  void communicate(const CollectiveCall& call, std::string label) {
    const CollectiveTime time = collective_time(scenario_, call);
    Interval interval;
    interval.start = std::max(clock_.now(), communication_end_);
    interval.end = interval.start + time.total;
    interval.latency = time.latency;
    communication_end_ = interval.end;
    add(std::move(interval), Activity::kCommunication, std::move(label));
  }

  void add(Interval interval, Activity activity, std::string label) {
    interval.op = static_cast<int>(timeline_.intervals.size());
    interval.activity = activity;
    interval.label = std::move(label);
    timeline_.intervals.push_back(std::move(interval));
  }

  const Scenario& scenario_;
  ComputeClock clock_;
  Timeline timeline_;
  Seconds done_{0};  // of the backward pass
  Seconds communication_end_{0};
};

/// Element counts of the study's equal buckets: as many of the cap as fit, then the remainder.
std::vector<Bucket> equal_buckets(const Scenario& scenario) {
  const DType dtype = scenario.workload->gradients.front().dtype;
  const std::int64_t cap = scenario.caps.rest.count() / element_size(dtype).value().count();
  std::vector<Bucket> buckets;
  std::int64_t left = scenario.workload->total_bytes().count() / element_size(dtype)->count();
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
  check_closed_form(scenario);
  const std::vector<double> factors = rank_factors(scenario);
  if (std::any_of(factors.begin(), factors.end(), [](double factor) { return factor != 1.0; })) {
    throw InputError("the formula knows equal ranks only; use --engine recurrence or simgrid");
  }
  if (is_overlapped(scenario)) {
    throw InputError(
        "the formula knows no compression beside the backward pass; use --engine recurrence or "
        "simgrid");
  }
  IterationResult result;
  result.estimator = "formula";
  result.timeline = Pipeline(scenario).play();
  result.backward_sync = result.timeline.end;
  result.breakdown = breakdown_of(result.timeline, 0);
  result.network = network_use_of(result.timeline, 0);
  return result;
}

Seconds study_form(const Scenario& scenario, LastBucket last, StudyBuckets kind) {
  check_closed_form(scenario);
  const Seconds compute = scenario.workload->backward_span * scenario.overlap_slowdown;
  if (scenario.workers == 1) return scenario.workload->backward_span;
  const std::vector<Bucket> buckets =
      kind == StudyBuckets::kReal ? make_buckets(scenario.workload->gradients, scenario.caps)
                                  : equal_buckets(scenario);
  Seconds front{0};
  for (std::size_t i = 0; i + 1 < buckets.size(); ++i) {
    front += all_reduce_time(scenario, buckets[i]);
  }
  const Seconds tail = all_reduce_time(scenario, buckets.back());
  return last == LastBucket::kOutside ? std::max(compute, front) + tail
                                      : std::max(compute, front + tail);
}

}  // namespace gradwire
