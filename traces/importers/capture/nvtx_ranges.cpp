#include "traces/importers/capture/nvtx_ranges.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "traces/importers/profile/tensor_dims.hpp"

namespace gradwire {
namespace {

/// Follows the events in the order of the file, in which each thread's own come in order.
class RangeBuilder {
 public:
  RangeBuilder(const CollectedCapture& capture, ImportReport& report)
      : capture_(capture), report_(report) {}

  std::vector<NvtxRange> build() {
    // A name may be registered by one thread, and be read from the file behind its use by another.
    for (const CapturedEvent& event : capture_.events) {
      if (event.kind == CapturedEventKind::kNvtxDomain) domains_[event.value] = event.text;
      if (event.kind == CapturedEventKind::kNvtxString) strings_[event.id] = event.text;
    }
    for (const CapturedEvent& event : capture_.events) take(event);
    for (auto& [key, open] : pushed_) {
      for (NvtxRange& range : open) finish(std::move(range), capture_.last);
    }
    for (auto& [id, range] : started_) finish(std::move(range), capture_.last);
    std::stable_sort(ranges_.begin(), ranges_.end(), [](const NvtxRange& a, const NvtxRange& b) {
      return a.span.start < b.span.start;
    });
    return std::move(ranges_);
  }

 private:
  void take(const CapturedEvent& event) {
    if (event.kind == CapturedEventKind::kNvtxPush) {
      pushed_[{event.thread, event.domain}].push_back(range_of(event));
    } else if (event.kind == CapturedEventKind::kNvtxPop) {
      auto& open = pushed_[{event.thread, event.domain}];
      if (open.empty()) {
        report_.count("range-without-begin", Severity::kNote,
                      "an NVTX range ends that did not begin in the capture");
        return;
      }
      finish(std::move(open.back()), event.time);
      open.pop_back();
    } else if (event.kind == CapturedEventKind::kNvtxStart) {
      started_.insert_or_assign(event.value, range_of(event));
    } else if (event.kind == CapturedEventKind::kNvtxEnd) {
      const auto open = started_.find(event.value);
      if (open == started_.end()) return;
      finish(std::move(open->second), event.time);
      started_.erase(open);
    }
  }

  NvtxRange range_of(const CapturedEvent& event) const {
    NvtxRange range;
    range.span.thread = {capture_.head.process, static_cast<std::int64_t>(event.thread)};
    range.span.start = range.span.end = event.time;
    const auto domain = domains_.find(event.domain);
    if (domain != domains_.end()) range.domain = domain->second;
    const auto registered = strings_.find(event.id);
    range.text =
        event.text.empty() && registered != strings_.end() ? registered->second : event.text;
    range.payload_kind = event.payload_kind;
    range.payload = event.payload;
    return range;
  }

  void finish(NvtxRange range, Nanoseconds end) {
    range.span.end = std::max(range.span.start, end);
    ranges_.push_back(std::move(range));
  }

  const CollectedCapture& capture_;
  ImportReport& report_;
  std::map<std::uint64_t, std::string> domains_;
  std::map<std::uint64_t, std::string> strings_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<NvtxRange>> pushed_;
  std::map<std::uint64_t, NvtxRange> started_;
  std::vector<NvtxRange> ranges_;
};

/// "torch::autograd::AccumulateGrad, op_id = 7, sizes = [[64, 3, 7, 7]], input_op_ids = [...]".
AccumulateRecord read_accumulate(const NvtxRange& range) {
  constexpr std::string_view kSizes = "sizes = ";
  AccumulateRecord record;
  record.span = range.span;
  const std::size_t sizes = range.text.find(kSizes);
  if (sizes == std::string::npos) return record;
  const auto dims =
      parse_first_input_dims(std::string_view(range.text).substr(sizes + kSizes.size()));
  if (dims && dims->tensors.size() == 1) {
    record.has_dims = true;
    record.dims = dims->tensors.front();
  }
  return record;
}

}  // namespace

std::vector<NvtxRange> find_nvtx_ranges(const CollectedCapture& capture, ImportReport& report) {
  return RangeBuilder(capture, report).build();
}

bool take_autograd_ranges(const std::vector<NvtxRange>& ranges, ProfileRecords& records) {
  const bool wants_gradients = records.accumulates.empty();
  const bool wants_backward = records.backward_windows.empty();
  for (const NvtxRange& range : ranges) {
    if (!range.domain.empty()) continue;
    const std::string_view name = std::string_view(range.text).substr(0, range.text.find(", "));
    if (wants_backward && name.starts_with("autograd::engine::evaluate_function")) {
      records.evaluations.push_back(range.span);
    } else if (wants_gradients && name == "torch::autograd::AccumulateGrad") {
      records.accumulates.push_back(read_accumulate(range));
    }
  }
  const bool found = wants_gradients && !records.accumulates.empty();
  if (found) records.accumulates_are = "AccumulateGrad ranges of emit_nvtx";
  return found;
}

}  // namespace gradwire
