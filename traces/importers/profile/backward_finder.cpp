#include "traces/importers/profile/backward_finder.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "traces/importers/profile/span_index.hpp"

namespace gradwire {
namespace {

SpanIndex index_spans(const std::vector<HostSpan>& spans) {
  SpanIndex index;
  for (const HostSpan& span : spans) index.add(span, 0);
  index.sort();
  return index;
}

void mark(ProfileRecords& records, const std::vector<std::int32_t>& launch_of,
          const std::function<bool(const HostSpan&)>& is_backward) {
  for (std::size_t i = 0; i < records.device.size(); ++i) {
    Kernel& kernel = records.device[i].kernel;
    if (launch_of[i] < 0 || kernel.category == KernelCategory::kCommunication) continue;
    kernel.in_backward = is_backward(records.calls[static_cast<std::size_t>(launch_of[i])].span);
  }
}

/// The stretches of time that the marks enclose, whatever their thread, as spans of no thread.
SpanIndex index_windows(const std::vector<HostSpan>& windows) {
  SpanIndex index;
  for (const HostSpan& window : windows) index.add({ThreadKey{}, window.start, window.end}, 0);
  index.sort();
  return index;
}

/// The marks enclose what all threads do; the backward pass is what the threads launch that make
/// gradients ready. Where gradients are not marked it is what any thread launches.
void mark_windows(ProfileRecords& records, const std::vector<std::int32_t>& launch_of,
                  ImportReport& report) {
  std::set<ThreadKey> threads;
  for (const AccumulateRecord& record : records.accumulates) threads.insert(record.span.thread);
  const SpanIndex windows = index_windows(records.backward_windows);
  mark(records, launch_of, [&](const HostSpan& call) {
    return windows.find(ThreadKey{}, call.start) >= 0 &&
           (threads.empty() || threads.count(call.thread) > 0);
  });
  report.backward_found_by =
      threads.empty() ? "launches between the backward marks, of any thread"
                      : "launches between the backward marks, of the threads that make gradients "
                        "ready";
}

/// Whether the thread that marks gradients marks the iterations too: then it runs the forward pass
/// as well, and is no sign of the backward pass.
bool marks_steps(const ProfileRecords& records, const ThreadKey& thread) {
  return records.accumulates.front().instant &&
         std::any_of(records.steps.begin(), records.steps.end(),
                     [&](const StepRecord& step) { return step.span.thread == thread; });
}

}  // namespace

std::optional<ThreadKey> find_backward_thread(const ProfileRecords& records) {
  std::map<ThreadKey, std::size_t> count;
  for (const AccumulateRecord& record : records.accumulates) ++count[record.span.thread];
  std::optional<ThreadKey> best;
  for (const auto& [thread, times] : count) {
    if (!best || times > count[*best]) best = thread;
  }
  return best;
}

void find_backward(ProfileRecords& records, const std::vector<std::int32_t>& launch_of,
                   ImportReport& report) {
  const auto thread = find_backward_thread(records);
  if (!records.backward_windows.empty()) {
    mark_windows(records, launch_of, report);
  } else if (!records.evaluations.empty() || (!thread && !records.compiled.empty())) {
    const bool engine = !records.evaluations.empty();
    const SpanIndex index = index_spans(engine ? records.evaluations : records.compiled);
    mark(records, launch_of,
         [&](const HostSpan& call) { return index.find(call.thread, call.start) >= 0; });
    report.backward_found_by = engine ? "launches inside autograd::engine::evaluate_function"
                                      : "launches inside CompiledFunctionBackward";
    if (engine && !records.compiled.empty())
      report.backward_found_by += " (CompiledFunctionBackward among them)";
  } else if (thread && !marks_steps(records, *thread)) {
    mark(records, launch_of, [&](const HostSpan& call) { return call.thread == *thread; });
    report.backward_found_by = records.accumulates.front().instant
                                   ? "launches from the thread that marks gradients as ready"
                                   : "launches from the thread that hosts "
                                     "torch::autograd::AccumulateGrad";
  } else {
    report.backward_found_by = "nothing";
    report.count("no-backward", Severity::kWarning,
                 "neither autograd::engine::evaluate_function nor torch::autograd::AccumulateGrad "
                 "nor marks of a backward pass were found");
  }
}

}  // namespace gradwire
