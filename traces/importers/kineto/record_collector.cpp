#include "traces/importers/kineto/record_collector.hpp"

#include <fmt/format.h>

#include <limits>

#include "traces/importers/decimal_time.hpp"
#include "traces/importers/profile/collective_names.hpp"
#include "traces/importers/profile/tensor_dims.hpp"

namespace gradwire {
namespace {

constexpr std::string_view kEvaluate = "autograd::engine::evaluate_function";
constexpr std::string_view kAccumulate = "torch::autograd::AccumulateGrad";
constexpr std::string_view kStep = "ProfilerStep#";

std::optional<std::int32_t> small_number(std::string_view text) {
  const auto value = parse_integer(text);
  if (!value || *value < std::numeric_limits<std::int32_t>::min() ||
      *value > std::numeric_limits<std::int32_t>::max()) {
    return std::nullopt;
  }
  return static_cast<std::int32_t>(*value);
}

/// A count that cannot be negative; absent when it is none or below `least`.
std::optional<std::int64_t> count_of(std::string_view value, std::int64_t least) {
  const auto count = parse_integer(without_quotes(value));
  return count && *count >= least ? count : std::nullopt;
}

/// Calls that own no device work and fill some files by the ten thousand (polling of the NCCL
/// watchdog, ROCm's queries).
bool owns_no_work(std::string_view name) {
  return name == "INVALID" || name.find("Occupancy") != std::string_view::npos ||
         name.ends_with("EventQuery") || name.ends_with("StreamIsCapturing") ||
         name.find("GetDevice") != std::string_view::npos ||
         name.find("GetLastError") != std::string_view::npos;
}

/// Marks that PyTorch's and DeepSpeed's sharded and pipelined trainers leave among the operators.
std::string_view sharding_mark(std::string_view name) {
  for (const std::string_view mark :
       {"FullyShardedDataParallel", "FSDP::", "DeepSpeedZeroOptimizer", "PipelineStage",
        "PipelineSchedule"}) {
    if (name.find(mark) != std::string_view::npos) return mark;
  }
  return {};
}

}  // namespace

RecordCollector::RecordCollector(EventReader& reader, ImportReport& report)
    : reader_(reader), report_(report) {}

/// Process and thread ids are numbers, numbers in quotes ("stream 7" for a device) or words.
std::int64_t RecordCollector::number_of(std::string_view text) {
  constexpr std::string_view kStream = "stream ";
  if (text.starts_with(kStream)) text.remove_prefix(kStream.size());
  if (const auto value = parse_integer(text)) return *value;
  return -1 - static_cast<std::int64_t>(text_ids_.index_of_name(text));
}

bool RecordCollector::read_span(const KinetoEvent& event, const char* what, HostSpan& span) {
  const auto start = parse_microseconds(event.time);
  const auto duration = parse_microseconds(event.duration);
  const auto lose = [&](const char* kind, const std::string& found) {
    report_.count(
        kind, Severity::kDataLoss,
        fmt::format("byte {}: {} `{}` {}", event.offset, what, event.name.substr(0, 60), found));
    return false;
  };
  if (!start) return lose("time-not-a-number", fmt::format("has the time `{}`", event.time));
  if (event.duration.empty()) return lose("duration-missing", "has no duration");
  if (!duration)
    return lose("time-not-a-number", fmt::format("has the duration `{}`", event.duration));
  if (*duration < Nanoseconds{0}) {
    return lose("negative-duration", fmt::format("has the duration {} us", event.duration));
  }
  if (*start < Nanoseconds{0})
    return lose("negative-time", fmt::format("has the time {} us", event.time));
  if (*start > Nanoseconds::max() - *duration) {
    return lose("time-not-a-number", fmt::format("has the time `{}`", event.time));
  }
  if (event.time.find('.') != std::string_view::npos) records_.decimal_times = true;
  span.thread = ThreadKey{number_of(event.process), number_of(event.thread)};
  span.start = *start;
  span.end = *start + *duration;
  return true;
}

void RecordCollector::take(const KinetoEvent& event) {
  ++report_.events;
  if (!event.repaired.empty()) {
    report_.count("event-repaired-" + event.repaired, Severity::kWarning,
                  fmt::format("byte {}: `{}`", event.offset, event.name.substr(0, 60)));
  }
  if (event.bare_value) {
    report_.count("bare-value", Severity::kNote,
                  fmt::format("byte {}: `{}` holds a bare word such as N/A", event.offset,
                              event.name.substr(0, 60)));
  }
  if (event.phase != "X") return;
  const std::string_view category = event.category;
  if (category == "kernel" || category == "Kernel") {
    take_device(event, is_communication_kernel(event.name) ? KernelCategory::kCommunication
                                                           : KernelCategory::kCompute);
  } else if (category == "gpu_memcpy" || category == "Memcpy") {
    take_device(event, KernelCategory::kMemcpy);
  } else if (category == "gpu_memset" || category == "Memset") {
    take_device(event, KernelCategory::kMemset);
  } else if (category == "cuda_runtime" || category == "cuda_driver" || category == "Runtime" ||
             category == "Driver" || category == "hip_runtime" || category == "hip_driver") {
    take_call(event);
  } else if (category == "cpu_op" || category == "Operator" || category == "user_annotation") {
    take_host(event);
  } else if (category.empty() && event.process == "CPU functions") {
    ++records_.legacy_host_events;
  }
}

void RecordCollector::read_message_field(std::string_view key, std::string_view value,
                                         CommunicationArgs& message, bool& any) {
  if (key == "Collective name") {
    message.collective = std::string(without_quotes(value));
    any = true;
  } else if (key == "In msg nelems") {
    message.in_elements = count_of(value, 0);
  } else if (key == "Out msg nelems") {
    message.out_elements = count_of(value, 0);
  } else if (key == "Group size") {
    message.group_size = small_number(without_quotes(value));
    if (message.group_size.value_or(1) < 1) message.group_size.reset();
  } else if (key == "dtype") {
    message.dtype = dtype_from_name(without_quotes(value));
  }
}

void RecordCollector::take_device(const KinetoEvent& event, KernelCategory category) {
  ++report_.kernels_in;
  HostSpan span;
  if (!read_span(event, "device record", span)) return;
  if (span.start == Nanoseconds{0} && span.end == Nanoseconds{0}) {
    report_.count(
        "device-record-without-time", Severity::kDataLoss,
        fmt::format("byte {}: `{}` begins and ends at 0", event.offset, event.name.substr(0, 60)));
    return;
  }
  DeviceRecord record;
  Kernel& kernel = record.kernel;
  kernel.category = category;
  kernel.start = span.start;
  kernel.duration = span.end - span.start;
  std::optional<std::int32_t> device;
  std::optional<std::int32_t> stream;
  CommunicationArgs message;
  bool has_message = false;
  const bool whole = reader_.read_args(event, [&](std::string_view key, std::string_view value) {
    if (key == "correlation" || key == "Correlation") {
      kernel.correlation = parse_integer(without_quotes(value));
    } else if (key == "device") {
      device = small_number(without_quotes(value));
    } else if (key == "stream") {
      stream = small_number(without_quotes(value));
    } else if (key == "bytes") {
      kernel.bytes = Bytes{count_of(value, 0).value_or(0)};
    } else if (category == KernelCategory::kCommunication) {
      read_message_field(key, value, message, has_message);
    }
  });
  if (!whole) {
    report_.count("args-unreadable", Severity::kWarning,
                  fmt::format("byte {}: args of `{}`", event.offset, event.name.substr(0, 60)));
  }
  kernel.device = device.value_or(static_cast<std::int32_t>(span.thread.process));
  kernel.stream = StreamId{stream.value_or(static_cast<std::int32_t>(span.thread.thread))};
  kernel.name = kernel_names_.index_of_name(event.name);
  if (has_message) {
    record.message = static_cast<std::int32_t>(records_.messages.size());
    records_.messages.push_back(std::move(message));
  }
  records_.device.push_back(record);
}

void RecordCollector::take_call(const KinetoEvent& event) {
  if (owns_no_work(event.name)) return;
  CallRecord call;
  std::optional<std::int64_t> correlation;
  reader_.read_args(event, [&](std::string_view key, std::string_view value) {
    if (key == "correlation" || key == "Correlation")
      correlation = parse_integer(without_quotes(value));
  });
  if (!correlation || !read_span(event, "runtime call", call.span)) return;
  call.correlation = *correlation;
  call.name = call_names_.index_of_name(event.name);
  records_.calls.push_back(call);
}

void RecordCollector::take_host(const KinetoEvent& event) {
  ++records_.host_events;
  const std::string_view name = event.name;
  HostSpan span;
  if (name.starts_with(kEvaluate)) {
    if (!read_span(event, "operator", span)) return;
    records_.evaluations.push_back(span);
    if (name.find("CompiledFunctionBackward") != std::string_view::npos)
      records_.compiled.push_back(span);
  } else if (name == kAccumulate) {
    take_accumulate(event);
  } else if (name == "CompiledFunctionBackward") {
    if (read_span(event, "operator", span)) records_.compiled.push_back(span);
  } else if (name.starts_with(kStep)) {
    take_step(event);
  } else if (name == "record_param_comms") {
    take_communication(event, records_.communication_ops);
  } else if (name.starts_with("nccl:") || name.starts_with("rccl:")) {
    take_communication(event, records_.annotations);
  } else if (const std::string_view mark = sharding_mark(name); !mark.empty()) {
    ++records_.sharding_marks[std::string(mark)];
  }
}

void RecordCollector::take_step(const KinetoEvent& event) {
  StepRecord step;
  if (!read_span(event, "profiler step", step.span)) return;
  const auto number = parse_integer(event.name.substr(kStep.size()));
  step.number = number.value_or(static_cast<std::int64_t>(records_.steps.size()));
  records_.steps.push_back(step);
}

void RecordCollector::take_accumulate(const KinetoEvent& event) {
  AccumulateRecord record;
  if (!read_span(event, "operator", record.span)) return;
  reader_.read_args(event, [&](std::string_view key, std::string_view value) {
    if (key == "Input Dims" || key == "Input dims") {
      if (const auto dims = parse_first_input_dims(value); dims && dims->tensors.size() == 1) {
        record.has_dims = true;
        record.dims = dims->tensors.front();
      }
    } else if (key == "Input type") {
      const auto type = parse_first_input_type(value);
      record.typed = type && !type->empty();
      if (type) record.dtype = dtype_from_name(*type);
    }
  });
  records_.accumulates.push_back(std::move(record));
}

void RecordCollector::take_communication(const KinetoEvent& event,
                                         std::vector<CommunicationRecord>& into) {
  CommunicationRecord record;
  if (!read_span(event, "communication operator", record.span)) return;
  CommunicationArgs& message = record.message;
  bool named = false;
  std::optional<InputDims> dims;
  DType type = DType::kUnknown;
  reader_.read_args(event, [&](std::string_view key, std::string_view value) {
    if (key == "Input Dims" || key == "Input dims") {
      dims = parse_first_input_dims(value);
    } else if (key == "Input type") {
      type = dtype_from_name(parse_first_input_type(value).value_or(""));
    } else {
      read_message_field(key, value, message, named);
    }
  });
  if (const std::size_t colon = event.name.find(':'); !named && colon != std::string_view::npos) {
    message.collective = std::string(event.name.substr(colon + 1));
  }
  if (message.dtype == DType::kUnknown) message.dtype = type;
  if (!message.in_elements && dims) message.in_elements = total_elements(*dims);
  into.push_back(std::move(record));
}

ProfileRecords RecordCollector::finish() {
  records_.kernel_names = kernel_names_.take_names();
  records_.call_names = call_names_.take_names();
  return std::move(records_);
}

}  // namespace gradwire
