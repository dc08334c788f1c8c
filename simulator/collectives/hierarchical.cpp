#include "simulator/collectives/hierarchical.hpp"

#include "simulator/collectives/ring.hpp"
#include "simulator/collectives/staged_schedule.hpp"

namespace gradwire {

std::unique_ptr<Schedule> make_hierarchical_all_reduce(const CollectiveCall& call,
                                                       const Participants& who) {
  const EqualNodes nodes = equal_nodes(who, "hierarchical");
  const int g = nodes.per_node;
  if (g == 1 || nodes.nodes == 1) return make_ring_all_reduce(call, who);
  const std::vector<Elements> chunks = even_chunks(call.elements, g);
  const auto scatter =
      std::make_shared<RingSchedule>(call, g, RingRounds{g - 1, chunks, g - 1}, call.elements);
  Stage first{{}, true};
  for (int node = 0; node < nodes.nodes; ++node) {
    first.groups.push_back({scatter, nodes.ranks_of(node)});
  }
  // Chunk i is now with the rank in front of rank i of its node, around the ring.
  Stage across{{}, false, g};
  for (int chunk = 0; chunk < g; ++chunk) {
    CollectiveCall part = call;
    part.elements = chunks[static_cast<std::size_t>(chunk)];
    across.groups.push_back({make_ring_all_reduce(part, nodes.nodes),
                             nodes.across((chunk + g - 1) % g),
                             elements_before(call.elements, g, chunk)});
  }
  // A ring all-gather starts with chunk i on its rank i.
  const auto gather =
      std::make_shared<RingSchedule>(call, g, RingRounds{g - 1, chunks}, call.elements);
  Stage last{{}, true};
  for (int node = 0; node < nodes.nodes; ++node) {
    std::vector<int> rank_at = nodes.ranks_of(node);
    rank_at.insert(rank_at.begin(), rank_at.back());
    rank_at.pop_back();
    last.groups.push_back({gather, std::move(rank_at)});
  }
  std::vector<Stage> stages = {std::move(first), std::move(across), std::move(last)};
  return make_staged(call, who.ranks, std::move(stages));
}

std::unique_ptr<Schedule> make_leader_ring_all_reduce(const CollectiveCall& call,
                                                      const Participants& who) {
  const EqualNodes nodes = equal_nodes(who, "leader_ring");
  return make_between_nodes(call, nodes, make_ring_all_reduce(call, nodes.nodes));
}

}  // namespace gradwire
