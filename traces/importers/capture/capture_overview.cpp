#include "traces/importers/capture/capture_overview.hpp"

#include <unordered_map>

#include "traces/importers/capture/capture_codec.hpp"

namespace gradwire {
namespace {

class OverviewBuilder {
 public:
  void take(const CapturedChunk& chunk) {
    if (chunk.head) take_head(*chunk.head);
    for (const CapturedOperation& operation : chunk.operations) {
      operation.kind == CapturedWork::kKernel ? ++overview_.kernels : ++overview_.copies;
    }
    for (const CapturedEvent& event : chunk.events) take_event(event);
    for (const CapturedSpan& span : chunk.spans) {
      if (!span.overhead) continue;
      ++overview_.overheads;
      overview_.overhead += span.duration;
    }
    if (chunk.tally) {
      overview_.dropped = chunk.tally->dropped_records + chunk.tally->dropped_events;
    }
  }

  CaptureOverview finish(const CaptureEnd& end) {
    overview_.closed = end.closed;
    return std::move(overview_);
  }

 private:
  void take_head(const CapturedHead& head) {
    overview_.process = head.process;
    overview_.host = head.host;
    overview_.command = head.command;
    overview_.rank = head.rank;
    for (const auto& [name, value] : head.facts) overview_.facts.push_back({name, value});
  }

  void take_event(const CapturedEvent& event) {
    if (event.kind == CapturedEventKind::kFact) {
      overview_.facts.push_back({event.text, event.payload});
    }
    if (event.kind != CapturedEventKind::kMark) return;
    ++overview_.marks;
    if (event.id != mark_kind::kIterationBegin) return;
    ++overview_.iteration_begins;
    const auto [last, is_first] = begins_.try_emplace(event.thread, event.time);
    if (is_first) return;
    overview_.iterations.push_back(event.time - last->second);
    last->second = event.time;
  }

  CaptureOverview overview_;
  std::unordered_map<std::uint64_t, Nanoseconds> begins_;  ///< the last one by thread
};

}  // namespace

CaptureOverview read_capture_overview(const std::filesystem::path& path) {
  OverviewBuilder builder;
  const CaptureEnd end =
      read_capture(path, [&builder](CapturedChunk&& chunk) { builder.take(chunk); });
  return builder.finish(end);
}

}  // namespace gradwire
