#include "traces/importers/kineto/backward_finder.hpp"

#include <functional>
#include <map>

#include "traces/importers/kineto/span_index.hpp"

namespace gradwire {
namespace {

SpanIndex index_spans(const std::vector<HostSpan>& spans) {
  SpanIndex index;
  for (const HostSpan& span : spans) index.add(span, 0);
  index.sort();
  return index;
}

void mark(KinetoRecords& records, const std::vector<std::int32_t>& launch_of,
          const std::function<bool(const HostSpan&)>& is_backward) {
  for (std::size_t i = 0; i < records.device.size(); ++i) {
    Kernel& kernel = records.device[i].kernel;
    if (launch_of[i] < 0 || kernel.category == KernelCategory::kCommunication) continue;
    kernel.in_backward = is_backward(records.calls[static_cast<std::size_t>(launch_of[i])].span);
  }
}

}  // namespace

std::optional<ThreadKey> find_backward_thread(const KinetoRecords& records) {
  std::map<ThreadKey, std::size_t> count;
  for (const AccumulateRecord& record : records.accumulates) ++count[record.span.thread];
  std::optional<ThreadKey> best;
  for (const auto& [thread, times] : count) {
    if (!best || times > count[*best]) best = thread;
  }
  return best;
}

void find_backward(KinetoRecords& records, const std::vector<std::int32_t>& launch_of,
                   ImportReport& report) {
  const auto thread = find_backward_thread(records);
  if (!records.evaluations.empty() || (!thread && !records.compiled.empty())) {
    const bool engine = !records.evaluations.empty();
    const SpanIndex index = index_spans(engine ? records.evaluations : records.compiled);
    mark(records, launch_of,
         [&](const HostSpan& call) { return index.find(call.thread, call.start) >= 0; });
    report.backward_found_by = engine ? "launches inside autograd::engine::evaluate_function"
                                      : "launches inside CompiledFunctionBackward";
    if (engine && !records.compiled.empty())
      report.backward_found_by += " (CompiledFunctionBackward among them)";
  } else if (thread) {
    mark(records, launch_of, [&](const HostSpan& call) { return call.thread == *thread; });
    report.backward_found_by =
        "launches from the thread that hosts torch::autograd::AccumulateGrad";
  } else {
    report.backward_found_by = "nothing";
    report.count("no-backward", Severity::kWarning,
                 "neither autograd::engine::evaluate_function nor torch::autograd::AccumulateGrad "
                 "was found");
  }
}

}  // namespace gradwire
