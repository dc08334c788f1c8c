#include "traces/importers/profile/communication_finder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "traces/importers/profile/collective_names.hpp"
#include "traces/importers/profile/iteration_marks.hpp"
#include "traces/importers/profile/span_index.hpp"

namespace gradwire {
namespace {

SpanIndex index_records(const std::vector<CommunicationRecord>& records) {
  SpanIndex index;
  for (std::size_t i = 0; i < records.size(); ++i) {
    index.add(records[i].span, static_cast<std::int32_t>(i));
  }
  index.sort();
  return index;
}

/// What `more` tells and `message` does not.
void complete(CommunicationArgs& message, const CommunicationArgs& more) {
  if (message.collective.empty()) message.collective = more.collective;
  if (!message.in_elements) message.in_elements = more.in_elements;
  if (!message.out_elements) message.out_elements = more.out_elements;
  if (!message.bytes) message.bytes = more.bytes;
  if (message.dtype == DType::kUnknown) message.dtype = more.dtype;
  if (!message.group_size) message.group_size = more.group_size;
}

/// Elements of a message of which only the bytes are told; the type stands in the kernel's name. A
/// kernel that only moves bytes names none: then an element is a byte.
void count_elements(CollectiveKind kind, const std::string& kernel, CommunicationArgs& message) {
  if (!message.bytes || message.in_elements || message.out_elements) return;
  if (message.dtype == DType::kUnknown) message.dtype = dtype_of_kernel(kernel);
  if (message.dtype == DType::kUnknown) message.dtype = DType::kUint8;
  const std::int64_t elements = *message.bytes / element_size(message.dtype)->count();
  (kind == CollectiveKind::kReduceScatter ? message.out_elements : message.in_elements) = elements;
}

class Finder {
 public:
  Finder(const ProfileRecords& records, Trace& trace, ImportReport& report)
      : records_(records),
        trace_(trace),
        report_(report),
        ops_(index_records(records.communication_ops)),
        annotations_(index_records(records.annotations)),
        used_(records.communication_ops.size()) {}

  void add_kernel(std::size_t index, const CallRecord* call, const CommunicationArgs* own) {
    const Kernel& kernel = trace_.kernels[index];
    const std::string& name = trace_.names[kernel.name];
    CommunicationArgs message = own != nullptr ? *own : CommunicationArgs{};
    if (call != nullptr) complete_from_host(call->span, message);
    CollectiveKind kind = collective_of_kernel(name);
    if (!message.collective.empty()) {
      const CollectiveKind told = collective_of_operation(message.collective).value_or(kind);
      // NCCL makes gather, scatter and others of sends and receives: then the kernel's name is no
      // answer.
      if (told != CollectiveKind::kOpaque || kind == CollectiveKind::kSendReceive) kind = told;
    }
    count_elements(kind, name, message);
    const std::string& source = message.collective.empty() ? name : message.collective;
    add(kind, message, static_cast<std::uint64_t>(index), kernel.iteration, source);
  }

  /// Operators with a collective that owned no kernel.
  void add_remaining_ops() {
    for (std::size_t i = 0; i < records_.communication_ops.size(); ++i) {
      if (used_[i]) continue;
      CommunicationArgs message = records_.communication_ops[i].message;
      const HostSpan& span = records_.communication_ops[i].span;
      const std::int32_t inside = annotations_.find_inside(span);
      if (inside >= 0)
        complete(message, records_.annotations[static_cast<std::size_t>(inside)].message);
      const auto kind = collective_of_operation(message.collective);
      if (!kind) continue;
      report_.count("communication-without-kernel", Severity::kWarning,
                    fmt::format("a {} operator launched no kernel that the capture holds",
                                message.collective));
      add(*kind, message, std::nullopt, iteration_at(trace_.iterations, span.start),
          message.collective);
    }
  }

 private:
  void complete_from_host(const HostSpan& call, CommunicationArgs& message) {
    const std::int32_t op = ops_.find(call.thread, call.start);
    if (op >= 0) {
      used_[static_cast<std::size_t>(op)] = true;
      complete(message, records_.communication_ops[static_cast<std::size_t>(op)].message);
    }
    const std::int32_t annotation = annotations_.find(call.thread, call.start);
    if (annotation >= 0)
      complete(message, records_.annotations[static_cast<std::size_t>(annotation)].message);
  }

  void add(CollectiveKind kind, const CommunicationArgs& message,
           std::optional<std::uint64_t> kernel, std::optional<std::int32_t> iteration,
           const std::string& source) {
    const std::string name(name_of(kind));
    ++report_.collectives_in[name];
    Communication communication;
    communication.collective = kind;
    if (message.in_elements) communication.in_elements = Elements{*message.in_elements};
    if (message.out_elements) communication.out_elements = Elements{*message.out_elements};
    communication.dtype = message.dtype;
    communication.group_size = message.group_size;
    communication.kernel = kernel;
    communication.iteration = iteration;
    if (kind == CollectiveKind::kOpaque) {
      report_.count("collective-unknown", Severity::kWarning,
                    fmt::format("`{}` names no known collective", source));
    }
    if (!message.in_elements && !message.out_elements) {
      report_.count("communication-without-size", Severity::kWarning,
                    fmt::format("a {} has no number of elements in the trace", name));
    } else if (message.in_elements.value_or(1) <= 0 && message.out_elements.value_or(0) <= 0) {
      report_.count("communication-of-zero-elements", Severity::kWarning,
                    fmt::format("a {} moves no elements", name));
    }
    trace_.communications.push_back(communication);
  }

  const ProfileRecords& records_;
  Trace& trace_;
  ImportReport& report_;
  SpanIndex ops_;
  SpanIndex annotations_;
  std::vector<bool> used_;
};

}  // namespace

void find_communications(const ProfileRecords& records, const std::vector<std::int32_t>& launch_of,
                         const std::vector<std::int32_t>& message_of, Trace& trace,
                         ImportReport& report) {
  Finder finder(records, trace, report);
  for (std::size_t i = 0; i < trace.kernels.size(); ++i) {
    if (trace.kernels[i].category != KernelCategory::kCommunication) continue;
    const CallRecord* call =
        launch_of[i] < 0 ? nullptr : &records.calls[static_cast<std::size_t>(launch_of[i])];
    const CommunicationArgs* message =
        message_of[i] < 0 ? nullptr : &records.messages[static_cast<std::size_t>(message_of[i])];
    finder.add_kernel(i, call, message);
  }
  finder.add_remaining_ops();
  for (const Communication& communication : trace.communications) {
    ++report.collectives_out[std::string(name_of(communication.collective))];
  }
}

}  // namespace gradwire
