#include "traces/importers/profile/profile_interpreter.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.hpp"
#include "traces/importers/iteration_inference.hpp"
#include "traces/importers/profile/backward_finder.hpp"
#include "traces/importers/profile/communication_finder.hpp"
#include "traces/importers/profile/gradient_finder.hpp"
#include "traces/importers/profile/iteration_marks.hpp"
#include "traces/importers/profile/launch_linker.hpp"
#include "traces/importers/profile/parallelism_finder.hpp"

namespace gradwire {
namespace {

// Times before 2000-01-01 are not counted from the epoch.
constexpr Nanoseconds kYear2000{std::chrono::seconds{946684800}};

/// Device records by start; equal starts keep the order of the file.
void sort_device_records(ProfileRecords& records) {
  std::stable_sort(
      records.device.begin(), records.device.end(),
      [](const DeviceRecord& a, const DeviceRecord& b) { return a.kernel.start < b.kernel.start; });
}

void find_iterations(const ProfileRecords& records, Trace& trace, ImportReport& report) {
  trace.iterations = marks_of_steps(records);
  if (!trace.iterations.empty()) {
    report.iterations_found_by = records.steps_are;
    return;
  }
  const auto inferred = infer_iterations(trace);
  if (!inferred) {
    report.iterations_found_by = "nothing";
    report.count("no-iterations", Severity::kWarning,
                 "the trace has no marks of iterations and its kernels do not repeat as training "
                 "iterations do");
    return;
  }
  trace.iterations = inferred->marks;
  // What is launched before the first kernel (copies of the batch) belongs to the first iteration.
  Nanoseconds& begin = trace.iterations.front().start;
  for (const Kernel& kernel : trace.kernels) {
    if (kernel.launch) begin = std::min(begin, kernel.launch->start);
  }
  Nanoseconds& end = trace.iterations.back().end;
  for (const AccumulateRecord& record : records.accumulates) end = std::max(end, record.span.end);
  report.iterations_found_by =
      inferred->single
          ? "one backward pass: the whole file is one iteration"
          : fmt::format(
                "period of the kernel sequence ({} compute kernels), cut at the largest idle gap",
                inferred->kernels_per_iteration);
}

void note_overlaps(const Trace& trace, ImportReport& report) {
  std::map<std::pair<std::int32_t, StreamId>, Nanoseconds> busy_until;
  for (const Kernel& kernel : trace.kernels) {
    Nanoseconds& until = busy_until[{kernel.device, kernel.stream}];
    if (kernel.start < until) {
      report.count("kernel-overlap", Severity::kNote,
                   fmt::format("records of stream {} overlap on device {}", index_of(kernel.stream),
                               kernel.device));
    }
    until = std::max(until, kernel.end());
  }
}

/// Moves the zero of all times to the earliest one.
void set_zero(const ProfileRecords& records, Trace& trace) {
  Nanoseconds zero = trace.kernels.front().start;
  for (const Kernel& kernel : trace.kernels) {
    if (kernel.launch) zero = std::min(zero, kernel.launch->start);
  }
  for (const IterationMark& mark : trace.iterations) zero = std::min(zero, mark.start);
  for (Kernel& kernel : trace.kernels) {
    kernel.start -= zero;
    if (kernel.launch) kernel.launch->start -= zero;
  }
  for (Gradient& gradient : trace.gradients) gradient.ready -= zero;
  for (IterationMark& mark : trace.iterations) {
    mark.start -= zero;
    mark.end -= zero;
  }
  for (BackwardMark& mark : trace.backwards) {
    mark.start -= zero;
    mark.end -= zero;
  }
  if (zero >= kYear2000) {
    trace.base_time = zero;
  } else if (std::int64_t epoch = 0;
             records.base_time_ns.value_or(-1) >= 0 &&
             !__builtin_add_overflow(*records.base_time_ns, zero.count(), &epoch)) {
    trace.base_time = Nanoseconds{epoch};
  }
}

}  // namespace

bool holds_kernels(const ProfileRecords& records) {
  return std::any_of(records.device.begin(), records.device.end(), [](const DeviceRecord& record) {
    return record.kernel.category == KernelCategory::kCompute ||
           record.kernel.category == KernelCategory::kCommunication;
  });
}

Trace interpret_profile(ProfileRecords& records, ImportReport& report) {
  sort_device_records(records);
  const std::vector<std::int32_t> launch_of = link_launches(records, report);
  find_backward(records, launch_of, report);
  Trace trace;
  std::vector<std::int32_t> message_of;
  for (const DeviceRecord& record : records.device) {
    trace.kernels.push_back(record.kernel);
    message_of.push_back(record.message);
  }
  trace.names = std::move(records.kernel_names);
  report.kernels_out = trace.kernels.size();
  find_iterations(records, trace, report);
  assign_kernels(trace, report);
  mark_backwards(trace, report);
  find_gradients(records, launch_of, trace, report);
  find_communications(records, launch_of, message_of, trace, report);
  find_parallelism(records, trace);
  note_overlaps(trace, report);
  set_zero(records, trace);
  trace.rank = records.rank;
  trace.world_size = records.world_size;
  trace.batch_size = records.batch_size;
  trace.devices = std::move(records.devices);
  trace.software = std::move(records.software);
  return trace;
}

void refuse_loss(const std::filesystem::path& path, const ImportReport& report) {
  for (const Defect& defect : report.defects) {
    if (defect.severity != Severity::kDataLoss) continue;
    throw InputError(fmt::format("{}: {} ({}); --strict accepts only traces that lose nothing",
                                 path.string(), defect.example, defect.kind));
  }
}

}  // namespace gradwire
