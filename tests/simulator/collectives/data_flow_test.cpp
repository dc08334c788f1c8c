// Do the messages of a schedule compute the collective? Every algorithm, every n from 1 to 128,
// powers of two or not, on real numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "simulator/collectives/registry.hpp"
#include "tests/simulator/collectives/data_player.hpp"
#include "tests/simulator/collectives/every_algorithm.hpp"

namespace gradwire {
namespace {

using test::described;
using test::messages_of;
using test::number_of;
using test::RankVectors;

/// Elements so large that 8 fill a pipeline's chunk.
constexpr Bytes kLargeElement{65'536};

/// Fewer elements than ranks, a few more, enough for several chunks of a pipeline. What is gathered
/// is n times as much.
std::vector<std::int64_t> sizes_for(CollectiveKind kind, int n) {
  if (kind == CollectiveKind::kAllGather) return {1, 5};
  return {1, std::max(1, n - 1), n + 2, 100};
}

std::pair<std::size_t, std::size_t> chunk_of(std::int64_t elements, int parts, int index) {
  const auto before = [&](std::int64_t i) {
    return static_cast<std::size_t>(elements / parts * i + std::min(i, elements % parts));
  };
  return {before(index), before(index + 1)};
}

/// What all ranks' own numbers sum to, by position.
std::vector<std::uint64_t> sums_of(const RankVectors& vectors) {
  std::vector<std::uint64_t> sums(vectors.front().size(), 0);
  for (const std::vector<std::uint64_t>& numbers : vectors) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += numbers[i];
  }
  return sums;
}

/// Requires positions [first, last) of a rank to hold what they hold in `sums`.
void expect_sums(const std::vector<std::uint64_t>& sums, const std::vector<std::uint64_t>& found,
                 std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i) {
    ASSERT_EQ(found[i], sums[i]) << "position " << i;
  }
}

void check_all_reduce(const Schedule& schedule) {
  const auto elements = static_cast<std::size_t>(schedule.call().elements.count());
  RankVectors vectors = test::own_numbers(schedule.ranks(), elements);
  const std::vector<std::uint64_t> sums = sums_of(vectors);
  test::play_data(schedule, vectors);
  for (const auto& found : vectors) expect_sums(sums, found, 0, elements);
}

/// Rank i ends with the sum of chunk i + shift.
void check_reduce_scatter(const Schedule& schedule, int shift) {
  const int n = schedule.ranks();
  const std::int64_t elements = schedule.call().elements.count();
  RankVectors vectors = test::own_numbers(n, static_cast<std::size_t>(elements));
  const std::vector<std::uint64_t> sums = sums_of(vectors);
  test::play_data(schedule, vectors);
  for (int rank = 0; rank < n; ++rank) {
    const auto [first, last] = chunk_of(elements, n, (rank + shift) % n);
    expect_sums(sums, vectors[static_cast<std::size_t>(rank)], first, last);
  }
}

void check_reduce(const Schedule& schedule) {
  const auto elements = static_cast<std::size_t>(schedule.call().elements.count());
  RankVectors vectors = test::own_numbers(schedule.ranks(), elements);
  const std::vector<std::uint64_t> sums = sums_of(vectors);
  test::play_data(schedule, vectors);
  expect_sums(sums, vectors[0], 0, elements);
}

/// Ranks start with numbers of their own in the places of others, which must not get through.
void check_all_gather(const Schedule& schedule) {
  const int n = schedule.ranks();
  const auto each = static_cast<std::size_t>(schedule.call().elements.count());
  RankVectors vectors = test::own_numbers(n, each * static_cast<std::size_t>(n));
  test::play_data(schedule, vectors);
  for (int rank = 0; rank < n; ++rank) {
    for (std::size_t i = 0; i < vectors.front().size(); ++i) {
      ASSERT_EQ(vectors[static_cast<std::size_t>(rank)][i],
                number_of(static_cast<int>(i / each), i))
          << "rank " << rank << " position " << i << " of n " << n;
    }
  }
}

void check_broadcast(const Schedule& schedule) {
  const auto elements = static_cast<std::size_t>(schedule.call().elements.count());
  RankVectors vectors = test::own_numbers(schedule.ranks(), elements);
  test::play_data(schedule, vectors);
  for (int rank = 0; rank < schedule.ranks(); ++rank) {
    for (std::size_t i = 0; i < elements; ++i) {
      ASSERT_EQ(vectors[static_cast<std::size_t>(rank)][i], number_of(0, i))
          << "rank " << rank << " position " << i << " of n " << schedule.ranks();
    }
  }
}

/// Every rank is sent chunk i of every other, i its own number, once.
void check_all_to_all(const Schedule& schedule) {
  const int n = schedule.ranks();
  std::set<std::pair<int, int>> seen;
  for (int round = 0; round < schedule.rounds(); ++round) {
    for (const Message& message : messages_of(schedule, round)) {
      const auto [first, last] = chunk_of(schedule.call().elements.count(), n, message.to);
      ASSERT_EQ(message.first.count(), static_cast<std::int64_t>(first));
      ASSERT_EQ(message.elements.count(), static_cast<std::int64_t>(last - first));
      ASSERT_FALSE(message.adds);
      ASSERT_TRUE(seen.insert({message.from, message.to}).second);
    }
  }
  ASSERT_EQ(seen.size(), static_cast<std::size_t>(n) * static_cast<std::size_t>(n - 1));
}

/// The message between nodes stands for what goes up to the switches and down again: every rank
/// that is sent one has the sum of what all of them send.
void check_in_network(const Schedule& schedule, int per_node) {
  const auto elements = static_cast<std::size_t>(schedule.call().elements.count());
  RankVectors vectors = test::own_numbers(schedule.ranks(), elements);
  const std::vector<std::uint64_t> expected = sums_of(vectors);
  int passes = 0;
  for (int round = 0; round < schedule.rounds(); ++round) {
    const std::vector<Message> messages = messages_of(schedule, round);
    const auto between_nodes = [&](const Message& message) {
      return message.from / per_node != message.to / per_node;
    };
    if (std::none_of(messages.begin(), messages.end(), between_nodes)) {
      test::play_round(messages, vectors);
      continue;
    }
    ++passes;
    std::vector<std::uint64_t> sum(elements, 0);
    std::set<int> senders;
    std::set<int> receivers;
    for (const Message& message : messages) {
      ASSERT_EQ(message.elements, schedule.call().elements);
      ASSERT_TRUE(senders.insert(message.from).second);
      ASSERT_TRUE(receivers.insert(message.to).second);
      for (std::size_t i = 0; i < elements; ++i) {
        sum[i] += vectors[static_cast<std::size_t>(message.from)][i];
      }
    }
    ASSERT_EQ(senders, receivers);
    for (const int rank : receivers) vectors[static_cast<std::size_t>(rank)] = sum;
  }
  ASSERT_EQ(passes, schedule.ranks() > per_node ? 1 : 0);
  for (const auto& found : vectors) expect_sums(expected, found, 0, elements);
}

/// Every rank is sent the vector of each neighbour once, as it was at the start.
void check_gossip(const Schedule& schedule) {
  const int n = schedule.ranks();
  std::vector<std::multiset<int>> received(static_cast<std::size_t>(n));
  for (int round = 0; round < schedule.rounds(); ++round) {
    for (const Message& message : messages_of(schedule, round)) {
      ASSERT_EQ(message.elements, schedule.call().elements);
      received[static_cast<std::size_t>(message.to)].insert(message.from);
    }
  }
  for (int rank = 0; rank < n; ++rank) {
    std::set<int> neighbours = {(rank + 1) % n, (rank + n - 1) % n};
    neighbours.erase(rank);
    ASSERT_EQ(received[static_cast<std::size_t>(rank)],
              std::multiset<int>(neighbours.begin(), neighbours.end()));
  }
}

void check(const AlgorithmEntry& entry, const Schedule& schedule, int per_node) {
  if (entry.algorithm == "in_network") return check_in_network(schedule, per_node);
  if (entry.algorithm == "gossip") return check_gossip(schedule);
  switch (entry.kind) {
    case CollectiveKind::kAllReduce:
      return check_all_reduce(schedule);
    case CollectiveKind::kReduceScatter:
      return check_reduce_scatter(schedule, entry.algorithm == "ring" ? 1 : 0);
    case CollectiveKind::kReduce:
      return check_reduce(schedule);
    case CollectiveKind::kAllGather:
      return check_all_gather(schedule);
    case CollectiveKind::kBroadcast:
      return check_broadcast(schedule);
    case CollectiveKind::kAllToAll:
      return check_all_to_all(schedule);
    default:
      FAIL() << "no check for " << name_of(entry.kind);
  }
}

class EveryAlgorithm : public testing::TestWithParam<AlgorithmEntry> {};

TEST_P(EveryAlgorithm, ComputesTheCollectiveOnEveryNFrom1To128) {
  for (int n = 1; n <= 128; ++n) {
    for (const std::int64_t elements : sizes_for(GetParam().kind, n)) {
      const auto schedule =
          GetParam().make({GetParam().kind, Elements{elements}, kLargeElement}, n);
      SCOPED_TRACE(described(GetParam(), *schedule));
      check(GetParam(), *schedule, 1);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(EveryAlgorithm, ComputesTheCollectiveOnNodesOfSeveralRanks) {
  for (const int per_node : {2, 3, 4, 8}) {
    for (int nodes = 1; nodes <= 16; ++nodes) {
      const int n = nodes * per_node;
      const std::int64_t elements = sizes_for(GetParam().kind, n).back();
      const auto schedule = GetParam().make({GetParam().kind, Elements{elements}, kLargeElement},
                                            {n, per_node, 1 + n / 3});
      SCOPED_TRACE(described(GetParam(), *schedule) + ", a node " + std::to_string(per_node));
      check(GetParam(), *schedule, per_node);
      if (HasFatalFailure()) return;
    }
  }
}

using OneMessageAtATime = EveryAlgorithm;

TEST_P(OneMessageAtATime, IsWhatARankSendsAndReceivesARound) {
  for (int n = 1; n <= 128; ++n) {
    const auto schedule = GetParam().make({GetParam().kind, Elements{100}, kLargeElement}, n);
    for (int round = 0; round < schedule->rounds(); ++round) {
      std::set<int> senders;
      std::set<int> receivers;
      for (const Message& message : messages_of(*schedule, round)) {
        ASSERT_NE(message.from, message.to);
        ASSERT_TRUE(senders.insert(message.from).second) << n << " ranks, round " << round;
        ASSERT_TRUE(receivers.insert(message.to).second) << n << " ranks, round " << round;
      }
    }
  }
}

TEST_P(EveryAlgorithm, PhasesNameExactlyTheEdgesOfTheirRoundsAndTheLargestMessage) {
  for (const int n : {1, 2, 3, 7, 24, 96, 128}) {
    const auto schedule =
        GetParam().make({GetParam().kind, Elements{1001}, kLargeElement}, {n, n % 4 == 0 ? 4 : 1});
    int round = 0;
    for (const Phase& phase : schedule->phases()) {
      std::set<std::pair<int, int>> used;
      Elements largest{0};
      for (const int end = round + phase.rounds; round < end; ++round) {
        for (const Message& message : messages_of(*schedule, round)) {
          used.emplace(message.from, message.to);
          largest = std::max(largest, message.elements);
        }
      }
      std::set<std::pair<int, int>> named;
      for (const Edge& edge : phase.edges) named.emplace(edge.from, edge.to);
      EXPECT_EQ(named, used) << "n " << n;
      EXPECT_EQ(phase.elements_per_round, largest) << "n " << n;
      // An edge that is there twice is busy in two turns.
      if (phase.turns == 1) {
        EXPECT_EQ(phase.edges.size(), named.size()) << "n " << n;
      }
    }
    EXPECT_EQ(round, schedule->rounds()) << "n " << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryAlgorithm, testing::ValuesIn(algorithms()),
                         test::test_name);
INSTANTIATE_TEST_SUITE_P(Registry, OneMessageAtATime,
                         testing::ValuesIn(test::algorithms_where([](std::string_view name) {
                           return name != "parameter_server" && name != "direct";
                         })),
                         test::test_name);

}  // namespace
}  // namespace gradwire
