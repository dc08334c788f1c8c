// What each rank sends, to the element, against theory; every algorithm, every n from 1 to 128.
#include <gtest/gtest.h>

#include <algorithm>

#include "simulator/collectives/double_tree.hpp"
#include "simulator/collectives/registry.hpp"
#include "tests/simulator/collectives/data_player.hpp"
#include "tests/simulator/collectives/every_algorithm.hpp"
#include "tests/support/algorithm_forms.hpp"

namespace gradwire {
namespace {

using test::chunk_begin;
using test::described;

std::int64_t chunk(std::int64_t e, int n, int index) {
  const int wrapped = (index % n + n) % n;
  return chunk_begin(e, n, wrapped + 1) - chunk_begin(e, n, wrapped);
}

/// Rounds 0..n-2 send chunks i, i-1, .. i+2 (all but i+1), rounds n-1..2n-3 i+1, i, .. i+3.
std::int64_t ring_all_reduce(int n, std::int64_t e, int rank) {
  return (e - chunk(e, n, rank + 1)) + (e - chunk(e, n, rank + 2));
}

/// Up half of the vector in each tree where the rank is no root, down half to each child.
std::int64_t double_tree(int n, std::int64_t e, int rank) {
  const TreeParents parents = double_tree_parents(n);
  const auto of_tree = [&](const std::vector<int>& tree, std::int64_t half) {
    const auto children = std::count(tree.begin(), tree.end(), rank);
    return half * (children + (tree[static_cast<std::size_t>(rank)] < 0 ? 0 : 1));
  };
  return of_tree(parents.first, (e + 1) / 2) + of_tree(parents.second, e / 2);
}

/// The chunks of the ranks that members [first, last) of the exchange stand for.
std::int64_t of_members(const test::PowerOfTwoSplit& split, std::int64_t e, int n, int first,
                        int last) {
  const auto ranks_before = [&](int member) { return member + std::min(member, split.extra); };
  return chunk_begin(e, n, ranks_before(last)) - chunk_begin(e, n, ranks_before(first));
}

/// Algorithms of partners at distances of powers of two.
std::int64_t exchanged(const AlgorithmEntry& entry, int n, std::int64_t e, int rank) {
  const test::PowerOfTwoSplit split(n);
  const auto member = split.member(rank);
  if (!member) return e;  // hands over its vector, or its contribution
  const bool has_extra = *member < split.extra;
  std::int64_t sent = 0;
  for (int k = 0; k < split.exponent; ++k) {
    const int group = *member >> k << k;  // what it has when it doubles to 2^k
    const int size = 1 << k;
    if (entry.algorithm == "halving_doubling") {
      sent += chunk_begin(e, split.p, group + size) - chunk_begin(e, split.p, group);
    } else if (entry.kind == CollectiveKind::kAllGather) {
      sent += of_members(split, n * e, n, group, group + size);
    } else if (entry.algorithm == "recursive_doubling") {
      sent += e;
    }
  }
  if (entry.algorithm == "halving_doubling") {  // all but its own chunk on the way down
    sent += e - chunk(e, split.p, *member) + (has_extra ? e : 0);
  } else if (entry.algorithm == "recursive_halving") {
    sent += e - of_members(split, e, n, *member, *member + 1);
    sent += has_extra ? chunk(e, n, rank - 1) : 0;
  } else if (has_extra) {
    sent += entry.kind == CollectiveKind::kAllGather ? (n - 1) * e : e;
  }
  return sent;
}

/// How many ranks a rank of the binomial tree sends to, and where its part of the ranks ends.
std::pair<int, int> in_binomial_tree(int n, int rank) {
  int children = 0;
  int distance = 1;
  while (distance < n && rank % (2 * distance) == 0) {
    children += rank + distance < n ? 1 : 0;
    distance *= 2;
  }
  return {children, std::min(rank + distance, n)};
}

std::int64_t parameter_server(int n, std::int64_t e, int rank, int servers) {
  std::int64_t sent = 0;
  for (int server = 0; server < servers; ++server) {
    const bool home = server * n / servers == rank;
    sent += chunk(e, servers, server) * (home ? n - 1 : 1);
  }
  return sent;
}

std::int64_t sent_in_theory(const AlgorithmEntry& entry, int n, std::int64_t e, int rank,
                            int servers) {
  if (n == 1) return 0;
  const std::string_view name = entry.algorithm;
  const bool gathers = entry.kind == CollectiveKind::kAllGather;
  if (gathers && name != "recursive_doubling") return (n - 1) * e;
  if (name == "ring" && entry.kind == CollectiveKind::kReduceScatter) {
    return e - chunk(e, n, rank + 1);
  }
  if (name == "ring" || name == "hierarchical" || name == "leader_ring") {
    return ring_all_reduce(n, e, rank);
  }
  if (name == "double_tree") return double_tree(n, e, rank);
  if (name == "in_network") return e;
  if (name == "gossip") return std::min(n - 1, 2) * e;
  if (name == "parameter_server") return parameter_server(n, e, rank, servers);
  if (name == "pairwise" || name == "direct") return e - chunk(e, n, rank);
  if (entry.kind == CollectiveKind::kReduce) return rank == 0 ? 0 : e;
  if (name == "chain") return rank == n - 1 ? 0 : e;
  const auto [children, end] = in_binomial_tree(n, rank);
  if (name == "binomial") return children * e;
  if (name == "scatter_all_gather") {
    return chunk_begin(e, n, end) - chunk_begin(e, n, rank + 1) + e - chunk(e, n, rank + 1);
  }
  return exchanged(entry, n, e, rank);
}

class BytesPerRank : public testing::TestWithParam<AlgorithmEntry> {};

TEST_P(BytesPerRank, AreWhatTheoryAsksForToTheElement) {
  for (int n = 1; n <= 128; ++n) {
    for (const std::int64_t e :
         {std::int64_t{1}, std::int64_t{n}, std::int64_t{1000}, std::int64_t{1'000'001}}) {
      const int servers = 1 + n / 3;
      const auto schedule =
          GetParam().make({GetParam().kind, Elements{e}, Bytes{4}}, {n, 1, servers});
      std::vector<std::int64_t> sent(static_cast<std::size_t>(n), 0);
      for (int round = 0; round < schedule->rounds(); ++round) {
        for (const Message& message : test::messages_of(*schedule, round)) {
          sent[static_cast<std::size_t>(message.from)] += message.elements.count();
        }
      }
      for (int rank = 0; rank < n; ++rank) {
        const std::int64_t expected = sent_in_theory(GetParam(), n, e, rank, servers);
        ASSERT_EQ(sent[static_cast<std::size_t>(rank)], expected)
            << described(GetParam(), *schedule) << ", rank " << rank;
        ASSERT_EQ(schedule->sent_by(rank).count(), expected)
            << described(GetParam(), *schedule) << ", rank " << rank;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, BytesPerRank, testing::ValuesIn(algorithms()), test::test_name);

TEST(HierarchicalAllReduce, SendsTwiceAllButAChunkInsideANodeAndARingsShareAcross) {
  for (const int g : {2, 3, 4, 8}) {
    for (const int nodes : {2, 3, 7, 16}) {
      const std::int64_t e = 10'007;
      const auto schedule = make_schedule({CollectiveKind::kAllReduce, Elements{e}, Bytes{4}},
                                          {nodes * g, g}, "hierarchical");
      for (int rank = 0; rank < nodes * g; ++rank) {
        const int local = rank % g;
        const std::int64_t inside = e - chunk(e, g, local + 1) + e - chunk(e, g, local + 2);
        const std::int64_t across = ring_all_reduce(nodes, chunk(e, g, local + 1), rank / g);
        EXPECT_EQ(schedule->sent_by(rank).count(), inside + across) << g << " " << nodes;
      }
    }
  }
}

}  // namespace
}  // namespace gradwire
