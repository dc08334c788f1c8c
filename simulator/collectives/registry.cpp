#include "simulator/collectives/registry.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"
#include "simulator/collectives/chain_broadcast.hpp"
#include "simulator/collectives/pairwise_all_gather.hpp"
#include "simulator/collectives/ring.hpp"

namespace gradwire {
namespace {

double all_reduce_factor(int ranks) { return 2.0 * (ranks - 1) / ranks; }
double one_pass_factor(int ranks) { return static_cast<double>(ranks - 1) / ranks; }
double root_factor(int) { return 1.0; }

}  // namespace

const std::vector<AlgorithmEntry>& algorithms() {
  static const std::vector<AlgorithmEntry> kEntries = {
      {CollectiveKind::kAllReduce, "ring", "2(n-1) (alpha + ceil(e/n) s / B)", make_ring_all_reduce,
       all_reduce_factor},
      {CollectiveKind::kAllGather, "ring", "(n-1) (alpha + e s / B), e elements a rank",
       make_ring_all_gather, one_pass_factor},
      {CollectiveKind::kAllGather, "pairwise", "(n-1) (alpha + e s / B), e elements a rank",
       make_pairwise_all_gather, one_pass_factor},
      {CollectiveKind::kReduceScatter, "ring", "(n-1) (alpha + ceil(e/n) s / B)",
       make_ring_reduce_scatter, one_pass_factor},
      {CollectiveKind::kBroadcast, "chain", "(n-2+c) alpha + ((n-2) ceil(e/c) + e) s / B, c chunks",
       make_chain_broadcast, root_factor},
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
        "the collective \"{}\" is not modelled; all_reduce, all_gather, reduce_scatter and "
        "broadcast are",
        name_of(kind)));
  }
  throw InputError(fmt::format("\"{}\" is no algorithm of {}; accepted: {}", algorithm,
                               name_of(kind), accepted));
}

std::shared_ptr<const Schedule> make_schedule(const CollectiveCall& call, int ranks,
                                              std::string_view algorithm) {
  return find_algorithm(call.kind, algorithm).make(call, ranks);
}

}  // namespace gradwire
