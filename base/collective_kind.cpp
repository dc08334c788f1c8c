#include "base/collective_kind.hpp"

#include <array>
#include <utility>

namespace gradwire {
namespace {

constexpr std::array<std::pair<CollectiveKind, std::string_view>, 8> kNames = {{
    {CollectiveKind::kOpaque, "opaque"},
    {CollectiveKind::kAllReduce, "all_reduce"},
    {CollectiveKind::kAllGather, "all_gather"},
    {CollectiveKind::kReduceScatter, "reduce_scatter"},
    {CollectiveKind::kBroadcast, "broadcast"},
    {CollectiveKind::kReduce, "reduce"},
    {CollectiveKind::kAllToAll, "all_to_all"},
    {CollectiveKind::kSendReceive, "send_receive"},
}};

}  // namespace

std::string_view name_of(CollectiveKind kind) {
  for (const auto& [known, name] : kNames) {
    if (known == kind) return name;
  }
  return "opaque";
}

CollectiveKind collective_from_name(std::string_view name) {
  for (const auto& [kind, known] : kNames) {
    if (known == name) return kind;
  }
  return CollectiveKind::kOpaque;
}

}  // namespace gradwire
