#include "simulator/collectives/registry.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"
#include "simulator/collectives/binomial_tree.hpp"
#include "simulator/collectives/bruck_all_gather.hpp"
#include "simulator/collectives/chain_broadcast.hpp"
#include "simulator/collectives/double_tree.hpp"
#include "simulator/collectives/gossip.hpp"
#include "simulator/collectives/halving_doubling.hpp"
#include "simulator/collectives/hierarchical.hpp"
#include "simulator/collectives/in_network.hpp"
#include "simulator/collectives/pairwise_all_gather.hpp"
#include "simulator/collectives/pairwise_exchange.hpp"
#include "simulator/collectives/parameter_server.hpp"
#include "simulator/collectives/recursive_doubling.hpp"
#include "simulator/collectives/recursive_halving.hpp"
#include "simulator/collectives/ring.hpp"

namespace gradwire {
namespace {

double all_reduce_factor(int ranks) { return 2.0 * (ranks - 1) / ranks; }
double one_pass_factor(int ranks) { return static_cast<double>(ranks - 1) / ranks; }
double root_factor(int) { return 1.0; }

}  // namespace

const std::vector<AlgorithmEntry>& algorithms() {
  using Kind = CollectiveKind;
  static const std::vector<AlgorithmEntry> kEntries = {
      {Kind::kAllReduce, "ring", "2(n-1) (alpha + ceil(e/n) s / B)", make_ring_all_reduce,
       all_reduce_factor},
      {Kind::kAllReduce, "double_tree", "2(2(c-1) + d) (alpha + ceil(ceil(e/2)/c) s / B)",
       make_double_tree_all_reduce, all_reduce_factor},
      {Kind::kAllReduce, "halving_doubling",
       "[2(alpha + e s / B)] + 2 L alpha + 2 (sum_k<L 2^k q + min(2^k, r)) s / B",
       make_halving_doubling_all_reduce, all_reduce_factor},
      {Kind::kAllReduce, "recursive_doubling", "(L [+ 2]) (alpha + e s / B)",
       make_recursive_doubling_all_reduce, all_reduce_factor},
      {Kind::kAllReduce, "hierarchical",
       "2(g-1) (alpha' + m s / B') + 2(N-1) (alpha + g ceil(m/N) s / B), m = ceil(e/g)",
       make_hierarchical_all_reduce, all_reduce_factor},
      {Kind::kAllReduce, "leader_ring",
       "2(g-2+c) alpha' + 2((g-2) ceil(e/c) + e) s / B' + 2(N-1) (alpha + ceil(e/N) s / B)",
       make_leader_ring_all_reduce, all_reduce_factor},
      {Kind::kAllReduce, "parameter_server", "2 (alpha + (n-1) ceil(e/p) s / B)",
       make_parameter_server, all_reduce_factor},
      {Kind::kAllReduce, "in_network", "alpha + e s / B", make_in_network_all_reduce,
       all_reduce_factor},
      {Kind::kAllReduce, "gossip", "min(n-1, 2) (alpha + e s / B), neighbours only", make_gossip,
       all_reduce_factor},
      {Kind::kAllGather, "ring", "(n-1) (alpha + e s / B)", make_ring_all_gather, one_pass_factor},
      {Kind::kAllGather, "pairwise", "(n-1) (alpha + e s / B)", make_pairwise_all_gather,
       one_pass_factor},
      {Kind::kAllGather, "bruck", "ceil(log2 n) alpha + (n-1) e s / B", make_bruck_all_gather,
       one_pass_factor},
      {Kind::kAllGather, "recursive_doubling",
       "(L [+ 2]) alpha + ([n +] sum_k<L (2^k + min(2^k, x))) e s / B",
       make_recursive_doubling_all_gather, one_pass_factor},
      {Kind::kReduceScatter, "ring", "(n-1) (alpha + ceil(e/n) s / B)", make_ring_reduce_scatter,
       one_pass_factor},
      {Kind::kReduceScatter, "pairwise", "(n-1) (alpha + ceil(e/n) s / B)",
       make_pairwise_reduce_scatter, one_pass_factor},
      {Kind::kReduceScatter, "recursive_halving",
       "(L [+ 2]) alpha + ([e + ceil(e/n) +] sum_k<L f(2^k)) s / B",
       make_recursive_halving_reduce_scatter, one_pass_factor},
      {Kind::kBroadcast, "chain", "(n-2+c) alpha + ((n-2) ceil(e/c) + e) s / B",
       make_chain_broadcast, root_factor},
      {Kind::kBroadcast, "binomial", "ceil(log2 n) (alpha + e s / B)", make_binomial_broadcast,
       root_factor},
      {Kind::kBroadcast, "scatter_all_gather",
       "ceil(log2 n) alpha + (e - ceil(e/n)) s / B + (n-1) (alpha + ceil(e/n) s / B)",
       make_scatter_all_gather_broadcast, root_factor},
      {Kind::kReduce, "chain", "(n-2+c) alpha + ((n-2) ceil(e/c) + e) s / B", make_chain_reduce,
       root_factor},
      {Kind::kReduce, "binomial", "ceil(log2 n) (alpha + e s / B)", make_binomial_reduce,
       root_factor},
      {Kind::kAllToAll, "pairwise", "(n-1) (alpha + ceil(e/n) s / B)", make_pairwise_all_to_all,
       one_pass_factor},
      {Kind::kAllToAll, "direct", "alpha + (n-1) ceil(e/n) s / B", make_direct_all_to_all,
       one_pass_factor},
  };
  return kEntries;
}

const AlgorithmEntry& find_algorithm(CollectiveKind kind, std::string_view algorithm) {
  std::string accepted;
  for (const AlgorithmEntry& entry : algorithms()) {
    if (entry.kind == kind && (algorithm.empty() || entry.algorithm == algorithm)) return entry;
    if (entry.kind == kind)
      accepted += fmt::format("{}{}", accepted.empty() ? "" : ", ", entry.algorithm);
  }
  if (accepted.empty()) {
    throw InputError(fmt::format(
        "the collective \"{}\" is not modelled; all_reduce, all_gather, reduce_scatter, broadcast, "
        "reduce and all_to_all are",
        name_of(kind)));
  }
  throw InputError(fmt::format("\"{}\" is no algorithm of {}; accepted: {}", algorithm,
                               name_of(kind), accepted));
}

std::shared_ptr<const Schedule> make_schedule(const CollectiveCall& call, const Participants& who,
                                              std::string_view algorithm) {
  return find_algorithm(call.kind, algorithm).make(call, who);
}

}  // namespace gradwire
