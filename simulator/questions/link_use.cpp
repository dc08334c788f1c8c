#include "simulator/questions/link_use.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace gradwire {
namespace {

using Link = LinkUse::Link;
using Direction = LinkUse::Direction;
using LinkKey = std::tuple<Link, int, Direction>;

/// What messages of one collective have in common that go one way.
using EdgeBytes = std::map<std::pair<int, int>, Bytes>;

/// The edges of `schedule` that `wanted` accepts. Where every rank sends to one other, which is so
/// of rings and chains, no message is looked at.
template <class Predicate>
EdgeBytes edge_bytes(const Schedule& schedule, const Predicate& wanted) {
  std::map<int, std::set<int>> successors;
  for (const Phase& phase : schedule.phases()) {
    for (const Edge& edge : phase.edges) successors[edge.from].insert(edge.to);
  }
  const Bytes size = schedule.call().element_size;
  EdgeBytes bytes;
  const bool one_each = std::all_of(successors.begin(), successors.end(),
                                    [](const auto& item) { return item.second.size() == 1; });
  if (one_each) {
    for (const auto& [from, to] : successors) {
      if (wanted(from, *to.begin())) bytes[{from, *to.begin()}] = schedule.sent_by(from) * size;
    }
    return bytes;
  }
  std::vector<Message> messages;
  for (int round = 0; round < schedule.rounds(); ++round) {
    messages.clear();
    schedule.append_messages(round, messages);
    for (const Message& message : messages) {
      if (!wanted(message.from, message.to)) continue;
      bytes[{message.from, message.to}] += message.elements * size;
    }
  }
  return bytes;
}

/// Collects the use of links in the order of the collectives.
class LinkUses {
 public:
  LinkUses(const Cluster& cluster, const Timeline& timeline) : cluster_(cluster) {
    for (const Interval& interval : timeline.intervals) {
      ranks_.insert(interval.rank);
      nodes_.insert(cluster.node_of(interval.rank));
    }
  }

  /// `intervals`: of one collective, by rank.
  void add(const Schedule& schedule, const std::vector<const Interval*>& intervals) {
    std::map<LinkKey, Bytes> loads;
    const auto wanted = [&](int from, int to) {
      return nodes_.contains(cluster_.node_of(from)) || nodes_.contains(cluster_.node_of(to));
    };
    for (const auto& [edge, bytes] : edge_bytes(schedule, wanted)) {
      const auto [from, to] = edge;
      const bool inner = cluster_.node_of(from) == cluster_.node_of(to);
      const Link link = inner ? Link::kInner : Link::kNic;
      loads[{link, inner ? from : cluster_.node_of(from), Direction::kOut}] += bytes;
      loads[{link, inner ? to : cluster_.node_of(to), Direction::kIn}] += bytes;
    }
    for (const auto& [key, bytes] : loads) {
      if (bytes > Bytes{0} && is_shown(key)) add_load(key, bytes, intervals);
    }
  }

  std::vector<LinkUse> take() {
    std::vector<LinkUse> all;
    for (auto& [key, use] : uses_) all.push_back(std::move(use));
    return all;
  }

 private:
  bool is_shown(const LinkKey& key) const {
    const auto& [link, owner, direction] = key;
    return link == Link::kNic ? nodes_.contains(owner) : ranks_.contains(owner);
  }

  bool is_at(const LinkKey& key, int rank) const {
    const auto& [link, owner, direction] = key;
    return owner == (link == Link::kNic ? cluster_.node_of(rank) : rank);
  }

  void add_load(const LinkKey& key, Bytes bytes, const std::vector<const Interval*>& intervals) {
    const Interval* last = nullptr;  // of the link's ranks: ends last
    for (const Interval* interval : intervals) {
      if (!is_at(key, interval->rank)) continue;
      if (last == nullptr || interval->end > last->end) last = interval;
    }
    if (last == nullptr) return;
    const auto& [link, owner, direction] = key;
    LinkUse& use = uses_[key];
    use.link = link;
    use.owner = owner;
    use.direction = direction;
    use.capacity = link == Link::kNic ? cluster_.nic_bandwidth(owner) : cluster_.intra.bandwidth;
    const Seconds before = use.busy.empty() ? Seconds{0} : use.busy.back().end;
    const Seconds needed = bytes / use.capacity;
    const Seconds all_there = std::max(before, last->start + last->waiting);
    const Seconds start = std::max(before, std::min(all_there, last->end - needed));
    const Seconds end = std::max(last->end, start + needed);
    const auto rate = BitsPerSecond::from_bytes_per_second(static_cast<double>(bytes.count()) /
                                                           (end - start).count());
    use.busy.push_back({start, end, std::min(use.capacity, rate)});  // but for rounding
  }

  const Cluster& cluster_;
  std::set<int> ranks_;
  std::set<int> nodes_;
  std::map<LinkKey, LinkUse> uses_;
};

}  // namespace

std::vector<LinkUse> link_use_of(const Plan& plan, const Cluster& cluster,
                                 const Timeline& timeline) {
  std::map<int, std::vector<const Interval*>> collectives;  // by op, so by time
  for (const Interval& interval : timeline.intervals) {
    if (interval.activity == Activity::kCommunication)
      collectives[interval.op].push_back(&interval);
  }
  LinkUses uses(cluster, timeline);
  for (const auto& [op, intervals] : collectives) {
    uses.add(*plan.ops[static_cast<std::size_t>(op)].collective, intervals);
  }
  return uses.take();
}

}  // namespace gradwire
