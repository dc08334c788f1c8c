#include "simulator/validation/measured_collectives.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <string_view>
#include <utility>

#include "base/errors.hpp"
#include "simulator/collectives/latency_mode.hpp"
#include "simulator/collectives/registry.hpp"
#include "simulator/engine/recurrence/recurrence_engine.hpp"
#include "simulator/engine/simgrid/simgrid_engine.hpp"
#include "simulator/plan/planner.hpp"

namespace gradwire {
namespace {

constexpr Bytes kFloat{4};
constexpr std::string_view kTree = "double_tree";

/// An algorithm on the links that its messages see.
struct PlacedCollective {
  std::shared_ptr<const Schedule> schedule;
  Cluster cluster;

  Seconds formula() const {
    Seconds time{0};
    for (const Phase& phase : schedule->phases()) {
      time += phase_cost(phase, kFloat, cluster, LatencyMode::kMean).total(phase, kFloat);
    }
    return time;
  }

  Seconds recurrence() const {
    return play_recurrence_rank_by_rank(make_collective_plan(schedule, LatencyMode::kMean), cluster,
                                        {})
        .end;
  }

  Seconds simgrid() const {
    return play_simgrid(make_collective_plan(schedule, LatencyMode::kMean), cluster, {}, {}).end;
  }
};

/// nccl-tests' size is what a rank of an all-gather receives in all.
CollectiveCall call_of(const CollectiveCase& one) {
  std::int64_t elements = one.size.count() / kFloat.count();
  if (one.kind == CollectiveKind::kAllGather) elements = ceil_divide(elements, one.ranks);
  return {one.kind, Elements{elements}, kFloat};
}

std::shared_ptr<const Schedule> schedule_of(const CollectiveCase& one, std::string_view algorithm) {
  return make_schedule(call_of(one), {one.ranks, one.gpus_per_node}, algorithm);
}

/// Nodes whose NICs carry what `line` says and add `latency` a message.
Cluster cluster_of(const CollectiveNetwork& network, const CollectiveCase& one,
                   const MessageLine& line, Seconds latency, Seconds intra_latency) {
  Cluster cluster;
  cluster.name = network.name;
  cluster.nodes = one.nodes();
  cluster.gpus_per_node = one.gpus_per_node;
  cluster.nic.bandwidth =
      line.bandwidth ? *line.bandwidth * one.nics : network.intra_bandwidth.value();
  cluster.nic.latency = latency;
  cluster.intra = {network.intra_bandwidth.value_or(cluster.nic.bandwidth), intra_latency};
  return cluster;
}

/// The line of a message of `size`.
const MessageLine& ring_line(const CollectiveNetwork& network, Bytes size) {
  const auto above = std::find_if(network.ring.begin() + 1, network.ring.end(),
                                  [&](const MessageLine& line) { return size < line.from; });
  return *(above - 1);
}

PlacedCollective ring_on_line(const CollectiveNetwork& network, const CollectiveCase& one,
                              const MessageLine& line) {
  const Seconds inside = network.intra_latency.value_or(line.latency);
  return {schedule_of(one, "ring"), cluster_of(network, one, line, line.latency, inside)};
}

PlacedCollective place_ring(const CollectiveNetwork& network, const CollectiveCase& one) {
  const auto schedule = schedule_of(one, "ring");
  const Bytes message = schedule->phases().front().elements_per_round * kFloat;
  return ring_on_line(network, one, ring_line(network, message));
}

bool leaves_a_node(const Phase& phase, const Cluster& cluster) {
  return std::any_of(phase.edges.begin(), phase.edges.end(), [&](const Edge& edge) {
    return cluster.node_of(edge.from) != cluster.node_of(edge.to);
  });
}

/// The hops' latencies are spread over the rounds between nodes.
PlacedCollective place_tree(const CollectiveNetwork& network, const CollectiveCase& one) {
  const MessageLine& line = network.tree.value();
  PlacedCollective placed{schedule_of(one, kTree),
                          cluster_of(network, one, line, Seconds{0}, Seconds{0})};
  int rounds = 0;
  for (const Phase& phase : placed.schedule->phases()) {
    if (leaves_a_node(phase, placed.cluster)) rounds += phase.rounds;
  }
  const auto levels = static_cast<int>(std::bit_width(static_cast<unsigned>(one.nodes()))) - 1;
  const int hops = 2 * (one.gpus_per_node - 1 + levels);
  placed.cluster.nic.latency = line.latency * hops / rounds;
  return placed;
}

/// Whether NCCL's own tuning model takes a tree; two channels a NIC are common (recalled).
bool nccl_takes_tree(const CollectiveNetwork& network, const CollectiveCase& one) {
  NcclJob job;
  job.ranks = one.ranks;
  job.nodes = one.nodes();
  job.bandwidth = network.ring.back().bandwidth.value() * one.nics;
  job.channels = 2 * one.nics;
  job.generation = network.generation;
  return nccl_choice(one.kind, one.size, job).algorithm == kTree;
}

struct Choices {
  PlacedCollective fastest;
  Seconds as_nccl{0};
};

Choices choices_of(const CollectiveNetwork& network, const CollectiveCase& one) {
  PlacedCollective ring = place_ring(network, one);
  const Seconds by_ring = ring.formula();
  if (!network.tree || one.kind != CollectiveKind::kAllReduce) return {std::move(ring), by_ring};
  PlacedCollective tree = place_tree(network, one);
  const Seconds by_tree = tree.formula();
  return {by_tree < by_ring ? std::move(tree) : std::move(ring),
          nccl_takes_tree(network, one) ? by_tree : by_ring};
}

CaseOutcome play_case(const ValidationSet& set, const CollectiveCase& one) {
  const CollectiveNetwork& network = set.collective_networks[one.network];
  CaseOutcome outcome;
  outcome.name = one.name;
  outcome.group = network.name + ", " + std::string(name_of(one.kind)) + ", " +
                  std::to_string(one.ranks) + " ranks";
  outcome.measured.median = one.measured;
  outcome.measured.source = one.source;
  outcome.measured.scores = ScoredTime::kCollective;
  const auto add = [&](Seconds time) {
    CaseAnswer answer;
    answer.time = time;
    answer.raw = raw_error(time, outcome.measured);
    answer.scored = scored_error(time, outcome.measured, set.rule);
    outcome.answers.push_back(std::move(answer));
  };
  try {
    const Choices choices = choices_of(network, one);
    add(choices.fastest.formula());
    add(choices.fastest.recurrence());
    add(choices.fastest.simgrid());
    add(choices.as_nccl);
    add(ring_on_line(network, one, network.ring.back()).formula());
  } catch (const IncompleteError& error) {
    outcome.failure = error.what();
    outcome.answers.clear();
  }
  return outcome;
}

}  // namespace

SetOutcome play_measured_collectives(const ValidationSet& set) {
  GW_CHECK(!set.collectives.empty(), "a set of measured collectives");
  SetOutcome outcome;
  outcome.set = set;
  outcome.models = {"formula", "recurrence", "simgrid", "as NCCL chooses", "one line"};
  outcome.main = 2;
  for (const CollectiveCase& one : set.collectives) outcome.cases.push_back(play_case(set, one));
  return outcome;
}

}  // namespace gradwire
