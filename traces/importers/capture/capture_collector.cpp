#include "traces/importers/capture/capture_collector.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>

#include "base/unit_text.hpp"
#include "traces/importers/capture/launch_calls.hpp"
#include "traces/importers/profile/collective_names.hpp"

namespace gradwire {
namespace {

// NTP slews the clock by at most 500 ppm (adjtimex(2)); what is twice that is a step.
constexpr double kSlew = 1e-3;
constexpr Seconds kSmallStep{1e-3};

/// The name as it stands in the source; one that is not mangled is kept.
std::string demangled(const std::string& name) {
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text != nullptr ? std::string(text.get()) : name;
}

KernelCategory category_of(CapturedWork kind, const std::string& name) {
  switch (kind) {
    case CapturedWork::kMemcpy:
    case CapturedWork::kMemcpyPeer:
      return KernelCategory::kMemcpy;
    case CapturedWork::kMemset:
      return KernelCategory::kMemset;
    case CapturedWork::kKernel:
      break;
  }
  return is_communication_kernel(name) ? KernelCategory::kCommunication : KernelCategory::kCompute;
}

/// CUpti_ActivityMemcpyKind of cupti_activity.h; the words are PyTorch's profiler's.
std::string copy_name(std::uint32_t kind) {
  switch (kind) {
    case 1:
      return "Memcpy HtoD";
    case 2:
      return "Memcpy DtoH";
    case 8:
      return "Memcpy DtoD";
    case 10:
      return "Memcpy PtoP";
    default:
      return "Memcpy";
  }
}

DeviceFacts facts_of(const CapturedDevice& device) {
  DeviceFacts facts;
  facts.index = static_cast<std::int32_t>(device.index);
  facts.name = device.name;
  if (device.multiprocessors > 0)
    facts.multiprocessors = static_cast<std::int32_t>(device.multiprocessors);
  if (device.memory_bytes > 0) facts.memory = Bytes{static_cast<std::int64_t>(device.memory_bytes)};
  if (device.compute_major > 0)
    facts.compute_capability = fmt::format("{}.{}", device.compute_major, device.compute_minor);
  return facts;
}

}  // namespace

bool CaptureCollector::is_possible(const char* what, Nanoseconds start, Nanoseconds duration) {
  if (start >= Nanoseconds{0} && duration >= Nanoseconds{0} &&
      start <= Nanoseconds::max() - duration) {
    capture_.last = std::max(capture_.last, start + duration);
    return true;
  }
  report_.count(
      "time-impossible", Severity::kDataLoss,
      fmt::format("a {} starts at {} ns and takes {} ns", what, start.count(), duration.count()));
  return false;
}

void CaptureCollector::take_operation(const CapturedOperation& operation) {
  ++report_.kernels_in;
  if (operation.untimed) {
    report_.count("device-record-without-time", Severity::kDataLoss,
                  "the profiler gave some device records no time; they were left out");
    return;
  }
  if (!is_possible("device record", operation.start, operation.duration)) return;
  const bool is_kernel = operation.kind == CapturedWork::kKernel;
  if (is_kernel && operation.name >= names_.size()) {
    report_.count("name-missing", Severity::kDataLoss,
                  fmt::format("a kernel has the name {} of {}", operation.name, names_.size()));
    return;
  }
  DeviceRecord record;
  Kernel& kernel = record.kernel;
  if (is_kernel) {
    kernel.name = names_[operation.name];
    kernel.category = category_of(operation.kind, kernel_names_.name_at(kernel.name));
  } else {
    kernel.category = category_of(operation.kind, {});
    kernel.name = kernel_names_.index_of_name(operation.kind == CapturedWork::kMemset ? "Memset"
                                              : operation.kind == CapturedWork::kMemcpyPeer
                                                  ? "Memcpy PtoP"
                                                  : copy_name(operation.copy_kind));
  }
  kernel.device = static_cast<std::int32_t>(operation.device);
  kernel.stream = StreamId{static_cast<std::int32_t>(operation.stream)};
  kernel.start = operation.start;
  kernel.duration = operation.duration;
  kernel.correlation = operation.correlation;
  constexpr auto kMostBytes = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  kernel.bytes = Bytes{static_cast<std::int64_t>(std::min(operation.bytes, kMostBytes))};
  if (operation.graph != 0) kernel.graph_node = operation.graph_node;
  capture_.records.device.push_back(record);
}

void CaptureCollector::take_call(const CapturedCall& call) {
  if (!is_possible("runtime call", call.start, call.duration)) return;
  if (call.result != 0) {
    report_.count(
        "call-failed", Severity::kNote,
        fmt::format("{} answered {}", launch_call_name(call.callback, call.driver), call.result));
  }
  CallRecord record;
  record.span.thread = {capture_.head.process, static_cast<std::int64_t>(call.thread)};
  record.span.start = call.start;
  record.span.end = call.start + call.duration;
  record.correlation = call.correlation;
  const auto [found, first] = calls_.try_emplace({call.driver, call.callback});
  if (first) {
    found->second = call_names_.index_of_name(launch_call_name(call.callback, call.driver));
  }
  record.name = found->second;
  capture_.records.calls.push_back(record);
}

void CaptureCollector::take_tally(const CapturedTally& tally) {
  if (tally_ && tally.monotonic != Nanoseconds{0} && tally_->monotonic != Nanoseconds{0}) {
    const Seconds passed = Seconds{tally.monotonic} - Seconds{tally_->monotonic};
    const Seconds step = (Seconds{tally.realtime} - Seconds{tally_->realtime}) - passed;
    const Seconds size{std::abs(step.count())};
    if (size > std::max(kSmallStep, kSlew * passed)) {
      report_.count("clock-step", Severity::kWarning,
                    fmt::format("the system's clock was set {} by {} during the capture; times "
                                "before and after do not compare",
                                step < Seconds{0} ? "back" : "forward", format_duration(size)));
    }
  }
  tally_ = tally;
}

void CaptureCollector::take(CapturedChunk&& chunk) {
  if (chunk.head) capture_.head = std::move(*chunk.head);
  for (const std::string& name : chunk.names) {
    names_.push_back(kernel_names_.index_of_name(demangled(name)));
  }
  report_.events +=
      chunk.operations.size() + chunk.calls.size() + chunk.events.size() + chunk.spans.size();
  for (const CapturedOperation& operation : chunk.operations) take_operation(operation);
  for (const CapturedCall& call : chunk.calls) take_call(call);
  for (CapturedEvent& event : chunk.events) {
    if (event.kind == CapturedEventKind::kUnknown) {
      report_.count("event-unknown", Severity::kWarning,
                    "the capture holds host events of a kind that is not known; they were left "
                    "out");
    } else if (is_possible("host event", event.time, Nanoseconds{0})) {
      capture_.events.push_back(std::move(event));
    }
  }
  for (const CapturedSpan& span : chunk.spans) {
    if (!span.overhead || !is_possible("span", span.start, span.duration)) continue;
    ++capture_.overhead_spans;
    capture_.overhead += span.duration;
  }
  for (CapturedDevice& device : chunk.devices) devices_[device.index] = std::move(device);
  if (chunk.tally) take_tally(*chunk.tally);
}

void CaptureCollector::report_tally() {
  if (!tally_) return;
  const auto count = [this](const char* kind, Severity severity, std::uint64_t times,
                            const char* what) {
    report_.count(kind, severity, fmt::format("{} {}", times, what), times);
  };
  count("records-dropped", Severity::kDataLoss, tally_->dropped_records,
        "records were dropped by the profiler");
  count("events-dropped", Severity::kDataLoss, tally_->dropped_events,
        "marks and ranges of the program were dropped for want of memory");
  count("buffers-lost", Severity::kDataLoss, tally_->lost_buffers,
        "of the profiler's buffers could not be read to their ends");
  count("buffers-unreturned", Severity::kDataLoss, tally_->unreturned_buffers,
        "buffers never came back from the profiler: another profiler in the process "
        "(torch.profiler, Nsight) took over while this one recorded");
  count("records-unknown", Severity::kWarning, tally_->unknown_records,
        "records of the profiler are of a kind or version that is not known");
}

CollectedCapture CaptureCollector::finish() {
  report_tally();
  capture_.records.kernel_names = kernel_names_.take_names();
  capture_.records.call_names = call_names_.take_names();
  for (const auto& [index, device] : devices_) capture_.records.devices.push_back(facts_of(device));
  return std::move(capture_);
}

}  // namespace gradwire
