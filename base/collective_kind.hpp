#pragma once

#include <string_view>

namespace gradwire {

/// What a communication does, whoever carries it out.
enum class CollectiveKind {
  kOpaque,  ///< of a kind that is not known
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kBroadcast,
  kReduce,
  kAllToAll,
  kSendReceive,
};

/// "all_reduce", ... "opaque".
std::string_view name_of(CollectiveKind kind);

/// The kind that `name_of` names; kOpaque for anything else.
CollectiveKind collective_from_name(std::string_view name);

}  // namespace gradwire
