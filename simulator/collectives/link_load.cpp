#include "simulator/collectives/link_load.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "base/errors.hpp"

namespace gradwire {
namespace {

/// To whom each rank sends, where that is one other rank or none in the whole collective; absent
/// where a rank sends to several.
std::optional<std::map<int, int>> only_receivers(const Schedule& schedule) {
  std::map<int, int> receivers;
  for (const Phase& phase : schedule.phases()) {
    for (const Edge& edge : phase.edges) {
      const auto [known, added] = receivers.emplace(edge.from, edge.to);
      if (!added && known->second != edge.to) return std::nullopt;
    }
  }
  return receivers;
}

/// Elements from rank to rank. Rings and chains without a look at every message of every round.
std::map<std::pair<int, int>, Elements> sent_between(const Schedule& schedule) {
  std::map<std::pair<int, int>, Elements> sent;
  if (const auto receivers = only_receivers(schedule)) {
    for (const auto& [from, to] : *receivers) sent[{from, to}] = schedule.sent_by(from);
    return sent;
  }
  std::vector<Message> messages;
  for (int round = 0; round < schedule.rounds(); ++round) {
    messages.clear();
    schedule.append_messages(round, messages);
    for (const Message& message : messages) sent[{message.from, message.to}] += message.elements;
  }
  return sent;
}

}  // namespace

std::vector<LinkLoad> link_loads(const Schedule& schedule, const Cluster& cluster) {
  const LinkTable table(cluster);
  std::map<int, Bytes> by_link;
  for (const auto& [ranks, elements] : sent_between(schedule)) {
    const Bytes bytes = elements * schedule.call().element_size;
    if (bytes == Bytes{0}) continue;
    for (const int link : table.links_between(ranks.first, ranks.second)) by_link[link] += bytes;
  }
  std::vector<LinkLoad> loads;
  loads.reserve(by_link.size());
  for (const auto& [link, bytes] : by_link) {
    loads.push_back({link, table.place(link), table.name(link), table.bandwidth(link), bytes});
  }
  return loads;
}

BoundingLink bounding_link(const std::vector<LinkLoad>& loads, const Schedule& schedule) {
  GW_CHECK(!loads.empty(), "a collective that moves nothing is bound by no link");
  BoundingLink bound;
  bound.load =
      *std::max_element(loads.begin(), loads.end(),
                        [](const LinkLoad& a, const LinkLoad& b) { return a.busy() < b.busy(); });
  const Bytes rounding = schedule.call().element_size * schedule.rounds();
  const Seconds least = bound.load.busy() * (1.0 - 1e-9) - rounding / bound.load.bandwidth;
  bound.all_alike = std::all_of(loads.begin(), loads.end(), [&](const LinkLoad& load) {
    return load.place.kind != bound.load.place.kind || load.busy() >= least;
  });
  return bound;
}

}  // namespace gradwire
