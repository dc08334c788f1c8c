#include "traces/importers/capture/nccl_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "traces/importers/profile/collective_names.hpp"

namespace gradwire {
namespace {

constexpr std::string_view kDomain = "NCCL";

/// NVTX_SID_* of NCCL's nvtx.h, as schema ids (1 << 24) + SID; seen of 2.28.9, the same in the
/// sources of 2.26 to 2.30.
std::string_view collective_of_schema(std::uint64_t schema) {
  constexpr std::uint64_t kFirst = std::uint64_t{1} << 24U;
  switch (schema - kFirst) {
    case 4:
      return "allgather";
    case 5:
      return "allreduce";
    case 6:
      return "broadcast";
    case 7:
      return "reducescatter";
    case 8:
      return "reduce";
    case 9:
      return "send";
    case 10:
      return "recv";
    case 16:
      return "alltoall";
    default:
      return {};
  }
}

/// The payload of every collective begins {u64 communicator hash; u64 bytes}, little-endian.
std::optional<std::int64_t> bytes_of(const std::string& payload) {
  if (payload.size() < 16) return std::nullopt;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    bytes |= static_cast<std::uint64_t>(static_cast<unsigned char>(payload[8 + i])) << (8 * i);
  }
  const auto value = static_cast<std::int64_t>(bytes);
  return value >= 0 ? std::optional(value) : std::nullopt;
}

/// What the range says, when it is a call that moves data.
std::optional<CommunicationArgs> message_of(const NvtxRange& range) {
  const std::string_view by_schema = collective_of_schema(range.payload_kind);
  const std::string_view name = by_schema.empty() ? std::string_view(range.text) : by_schema;
  const auto kind = collective_of_operation(name);
  if (!kind || (by_schema.empty() && *kind == CollectiveKind::kOpaque)) return std::nullopt;
  CommunicationArgs message;
  message.collective = std::string(name);
  if (!by_schema.empty()) message.bytes = bytes_of(range.payload);
  return message;
}

struct Group {
  int depth = 0;
  std::vector<CommunicationArgs> calls;
};

class Calls {
 public:
  Calls(ProfileRecords& records, ImportReport& report) : records_(records), report_(report) {
    std::set<std::int64_t> wanted;
    for (const DeviceRecord& record : records_.device) {
      if (record.kernel.category == KernelCategory::kCommunication && record.kernel.correlation)
        wanted.insert(*record.kernel.correlation);
    }
    // Of a runtime call and the driver call inside it the outer one launches.
    std::map<std::int64_t, HostSpan> outer;
    for (const CallRecord& call : records_.calls) {
      if (wanted.count(call.correlation) == 0) continue;
      const auto [found, first] = outer.try_emplace(call.correlation, call.span);
      if (!first && call.span.start < found->second.start) found->second = call.span;
    }
    for (const auto& [correlation, span] : outer) launches_[span.thread].push_back(span);
    for (auto& [thread, spans] : launches_) {
      std::sort(spans.begin(), spans.end(),
                [](const HostSpan& a, const HostSpan& b) { return a.start < b.start; });
    }
  }

  void take(const NvtxRange& range) {
    Group& group = groups_[range.span.thread];
    if (range.text == "ncclGroupStart") {
      ++group.depth;
    } else if (range.text == "ncclGroupEnd") {
      if (group.depth > 0) --group.depth;
      if (group.depth == 0) end_group(group, range.span);
    } else if (auto message = message_of(range)) {
      if (group.depth > 0) {
        group.calls.push_back(std::move(*message));
      } else {
        records_.annotations.push_back({range.span, std::move(*message)});
      }
    }
  }

 private:
  void end_group(Group& group, const HostSpan& end) {
    const std::vector<CommunicationArgs> calls = std::move(group.calls);
    group.calls.clear();
    std::vector<HostSpan> launched;
    for (const HostSpan& launch : launches_[end.thread]) {
      if (launch.start >= end.start && launch.start <= end.end) launched.push_back(launch);
    }
    if (launched.empty() || calls.empty()) return;
    if (launched.size() == calls.size()) {
      for (std::size_t i = 0; i < calls.size(); ++i) {
        records_.annotations.push_back({launched[i], calls[i]});
      }
    } else if (launched.size() == 1) {
      if (auto all = put_together(calls)) records_.annotations.push_back({launched[0], *all});
    } else {
      report_.count("group-unclear", Severity::kWarning,
                    fmt::format("an NCCL group of {} calls launched {} kernels; which moved which "
                                "bytes is not told",
                                calls.size(), launched.size()));
    }
  }

  /// One message of all `calls` when they are of one kind. Of sends and receives the sent bytes
  /// count.
  std::optional<CommunicationArgs> put_together(const std::vector<CommunicationArgs>& calls) {
    CommunicationArgs all;
    std::set<CollectiveKind> kinds;
    for (const CommunicationArgs& call : calls) {
      kinds.insert(*collective_of_operation(call.collective));
      if (all.collective.empty() || call.collective == "send") all.collective = call.collective;
      if (call.collective == "recv") continue;
      std::int64_t sum = 0;
      if (!call.bytes || __builtin_add_overflow(all.bytes.value_or(0), *call.bytes, &sum))
        return std::nullopt;
      all.bytes = sum;
    }
    if (kinds.size() == 1) return all;
    report_.count("group-unclear", Severity::kWarning,
                  fmt::format("an NCCL group of {} calls of several kinds launched 1 kernel; which "
                              "moved which bytes is not told",
                              calls.size()));
    return std::nullopt;
  }

  ProfileRecords& records_;
  ImportReport& report_;
  std::map<ThreadKey, std::vector<HostSpan>> launches_;
  std::map<ThreadKey, Group> groups_;
};

}  // namespace

void find_nccl_calls(const std::vector<NvtxRange>& ranges, ProfileRecords& records,
                     ImportReport& report) {
  Calls calls(records, report);
  for (const NvtxRange& range : ranges) {
    if (range.domain == kDomain) calls.take(range);
  }
}

}  // namespace gradwire
