#include "simulator/validation/recorded_traces.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/errors.hpp"
#include "simulator/study/workload_file.hpp"
#include "simulator/workload/bucketing.hpp"
#include "simulator/workload/gradient_schedule.hpp"

namespace gradwire {
namespace {

/// An all-reduce as recorded, its times from the start of the backward pass.
struct RecordedAllReduce {
  std::int64_t elements = 0;
  Seconds start{0};
  Seconds end{0};
};

std::vector<RecordedAllReduce> all_reduces_of(const Trace& trace, const BackwardMark& backward) {
  std::vector<RecordedAllReduce> found;
  for (const Communication& item : trace.communications) {
    if (item.collective != CollectiveKind::kAllReduce || item.iteration != backward.iteration ||
        !item.kernel) {
      continue;
    }
    const Kernel& kernel = trace.kernels[*item.kernel];
    found.push_back({item.in_elements.value_or(Elements{0}).count(), kernel.start - backward.start,
                     kernel.end() - backward.start});
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.start < b.start; });
  return found;
}

/// Throws InputError with both lists where the trace did not exchange these buckets in this order.
void require_same_order(const std::vector<Bucket>& buckets,
                        const std::vector<RecordedAllReduce>& recorded) {
  std::vector<std::int64_t> wanted;
  std::vector<std::int64_t> found;
  for (const Bucket& bucket : buckets) wanted.push_back(bucket.elements.count());
  for (const RecordedAllReduce& one : recorded) found.push_back(one.elements);
  if (wanted == found) return;
  throw InputError(fmt::format("all-reduces of {} elements found; DDP's buckets are {}",
                               fmt::join(found, ", "), fmt::join(wanted, ", ")));
}

void add_iteration(const RecordedTrace& source, const Trace& trace, const BackwardMark& backward,
                   SetOutcome& outcome) {
  const auto number = trace.iterations[static_cast<std::size_t>(backward.iteration)].number;
  WorkloadOptions options;
  options.iteration = backward.iteration;
  const Workload workload = make_workload(trace, source.trace.string(), options);
  const std::vector<Bucket> buckets = make_buckets(workload.gradients, source.caps);
  const std::vector<RecordedAllReduce> recorded = all_reduces_of(trace, backward);
  require_same_order(buckets, recorded);
  Seconds before{0};
  Seconds filled{0};
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    filled = std::max(filled, buckets[i].ready);
    CaseOutcome one;
    one.name = fmt::format("{}, iteration {}, bucket {}", source.name, number, i);
    one.measured.median = recorded[i].start;
    one.measured.source = source.source;
    const Seconds start = std::max(filled, before);
    const double error = (start - recorded[i].start) / workload.backward_span;
    one.answers.push_back({start, error, error});
    outcome.cases.push_back(std::move(one));
    before = recorded[i].end;
  }
}

void add_failure(const std::string& name, const std::string& source, const char* what,
                 SetOutcome& outcome) {
  CaseOutcome failed;
  failed.name = name;
  failed.measured.source = source;
  failed.failure = what;
  outcome.cases.push_back(std::move(failed));
}

void add_trace(const RecordedTrace& source, SetOutcome& outcome) {
  WorkloadSource wanted;
  wanted.trace = source.trace;
  wanted.parameters = source.parameters;
  const Trace trace = read_trace(wanted).trace;
  for (const BackwardMark& backward : trace.backwards) {
    const IterationMark& mark = trace.iterations[static_cast<std::size_t>(backward.iteration)];
    if (!mark.complete) continue;
    try {
      add_iteration(source, trace, backward, outcome);
    } catch (const InputError& error) {
      add_failure(fmt::format("{}, iteration {}", source.name, mark.number), source.source,
                  error.what(), outcome);
    }
  }
}

}  // namespace

SetOutcome play_recorded_traces(const ValidationSet& set) {
  GW_CHECK(!set.recorded.empty(), "a set of recorded traces");
  SetOutcome outcome;
  outcome.set = set;
  outcome.models = {"buckets"};
  for (const RecordedTrace& source : set.recorded) {
    try {
      add_trace(source, outcome);
    } catch (const InputError& error) {
      add_failure(source.name, source.source, error.what(), outcome);
    }
  }
  return outcome;
}

}  // namespace gradwire
