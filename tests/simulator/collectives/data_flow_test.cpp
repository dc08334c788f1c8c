// Do the messages of a schedule compute the collective? Every n from 1 to 128, powers of two or
// not.
#include <gtest/gtest.h>

#include <algorithm>

#include "simulator/collectives/chain_broadcast.hpp"
#include "simulator/collectives/registry.hpp"

namespace gradwire {
namespace {

constexpr int kMostRanks = 128;

/// For each rank and chunk, how often each rank's contribution is in what the rank holds.
class Holdings {
 public:
  explicit Holdings(int ranks) : ranks_(static_cast<std::size_t>(ranks)) {
    counts_.resize(ranks_ * ranks_, std::vector<int>(ranks_, 0));
  }
  std::vector<int>& at(int rank, int chunk) {
    return counts_[static_cast<std::size_t>(rank) * ranks_ + static_cast<std::size_t>(chunk)];
  }

 private:
  std::size_t ranks_;
  std::vector<std::vector<int>> counts_;
};

std::vector<int> only(int contribution, int ranks) {
  std::vector<int> counts(static_cast<std::size_t>(ranks), 0);
  counts[static_cast<std::size_t>(contribution)] = 1;
  return counts;
}

std::vector<Message> messages_of(const Schedule& schedule, int round) {
  std::vector<Message> messages;
  schedule.append_messages(round, messages);
  return messages;
}

/// Plays rounds `first` to `last` (exclusive) of a ring: rank i's message of round r holds chunk
/// (i - r) mod n. A receiver adds what it is sent to what it holds, or takes it in its place.
void exchange(const Schedule& schedule, int first, int last, bool add, Holdings& holdings) {
  const int n = schedule.ranks();
  for (int round = first; round < last; ++round) {
    std::vector<std::vector<int>> sent;
    const std::vector<Message> messages = messages_of(schedule, round);
    const auto chunk_of = [&](const Message& message) {
      return ((message.from - round) % n + n) % n;
    };
    for (const Message& message : messages) {
      sent.push_back(holdings.at(message.from, chunk_of(message)));
    }
    for (std::size_t i = 0; i < messages.size(); ++i) {
      std::vector<int>& target = holdings.at(messages[i].to, chunk_of(messages[i]));
      if (!add) {
        target = sent[i];
        continue;
      }
      for (std::size_t rank = 0; rank < target.size(); ++rank) target[rank] += sent[i][rank];
    }
  }
}

std::shared_ptr<const Schedule> schedule_of(CollectiveKind kind, int ranks, std::int64_t elements) {
  return make_schedule({kind, Elements{elements}, Bytes{4}}, ranks);
}

TEST(RingAllReduce, EveryRankEndsWithEveryContributionOnceInEveryChunk) {
  for (int n = 1; n <= kMostRanks; ++n) {
    const auto schedule = schedule_of(CollectiveKind::kAllReduce, n, 1000);
    Holdings holdings(n);
    for (int rank = 0; rank < n; ++rank) {
      for (int chunk = 0; chunk < n; ++chunk) holdings.at(rank, chunk) = only(rank, n);
    }
    ASSERT_EQ(schedule->rounds(), 2 * (n - 1));
    exchange(*schedule, 0, n - 1, true, holdings);
    exchange(*schedule, n - 1, 2 * (n - 1), false, holdings);
    const std::vector<int> all(static_cast<std::size_t>(n), 1);
    for (int rank = 0; rank < n; ++rank) {
      for (int chunk = 0; chunk < n; ++chunk) {
        ASSERT_EQ(holdings.at(rank, chunk), all) << "n " << n << " rank " << rank;
      }
    }
  }
}

TEST(RingReduceScatter, RankIEndsWithEveryContributionOnceInChunkIPlusOne) {
  for (int n = 1; n <= kMostRanks; ++n) {
    const auto schedule = schedule_of(CollectiveKind::kReduceScatter, n, 1000);
    Holdings holdings(n);
    for (int rank = 0; rank < n; ++rank) {
      for (int chunk = 0; chunk < n; ++chunk) holdings.at(rank, chunk) = only(rank, n);
    }
    ASSERT_EQ(schedule->rounds(), n - 1);
    exchange(*schedule, 0, n - 1, true, holdings);
    const std::vector<int> all(static_cast<std::size_t>(n), 1);
    for (int rank = 0; rank < n; ++rank) {
      ASSERT_EQ(holdings.at(rank, (rank + 1) % n), all) << "n " << n << " rank " << rank;
    }
  }
}

TEST(RingAllGather, EveryRankEndsWithChunkJFromRankJ) {
  for (int n = 1; n <= kMostRanks; ++n) {
    const auto schedule = schedule_of(CollectiveKind::kAllGather, n, 1000);
    Holdings holdings(n);
    for (int rank = 0; rank < n; ++rank) holdings.at(rank, rank) = only(rank, n);
    ASSERT_EQ(schedule->rounds(), n - 1);
    exchange(*schedule, 0, n - 1, false, holdings);
    for (int rank = 0; rank < n; ++rank) {
      for (int chunk = 0; chunk < n; ++chunk) {
        ASSERT_EQ(holdings.at(rank, chunk), only(chunk, n)) << "n " << n << " rank " << rank;
      }
    }
  }
}

TEST(ChainBroadcast, ARankSendsOnOnlyWhatItHasAndEndsWithEveryElementOnce) {
  for (int n = 1; n <= kMostRanks; ++n) {
    // 1e6 + 1 floats are 4,000,004 bytes: 8 chunks of at most 512 KiB.
    const std::int64_t elements = 1'000'001;
    const auto schedule = schedule_of(CollectiveKind::kBroadcast, n, elements);
    std::vector<std::int64_t> held(static_cast<std::size_t>(n), 0);
    std::vector<std::int64_t> sent(static_cast<std::size_t>(n), 0);
    held[0] = elements;
    for (int round = 0; round < schedule->rounds(); ++round) {
      const std::vector<std::int64_t> before = held;
      for (const Message& message : messages_of(*schedule, round)) {
        const auto from = static_cast<std::size_t>(message.from);
        ASSERT_EQ(message.to, message.from + 1);
        ASSERT_LE(message.elements.count() * 4, kBroadcastChunk.count());
        sent[from] += message.elements.count();
        ASSERT_LE(sent[from], before[from]) << "n " << n << " round " << round;
        held[static_cast<std::size_t>(message.to)] += message.elements.count();
      }
    }
    for (const std::int64_t count : held) ASSERT_EQ(count, elements) << "n " << n;
  }
}

class AnyCollective : public testing::TestWithParam<CollectiveKind> {};

TEST_P(AnyCollective, ARankSendsAndReceivesAtMostOneMessageARound) {
  for (int n = 1; n <= kMostRanks; ++n) {
    const auto schedule = schedule_of(GetParam(), n, 1'000'001);
    for (int round = 0; round < schedule->rounds(); ++round) {
      std::vector<int> sends(static_cast<std::size_t>(n), 0);
      std::vector<int> receives(static_cast<std::size_t>(n), 0);
      for (const Message& message : messages_of(*schedule, round)) {
        ASSERT_NE(message.from, message.to);
        ++sends.at(static_cast<std::size_t>(message.from));
        ++receives.at(static_cast<std::size_t>(message.to));
      }
      ASSERT_LE(*std::max_element(sends.begin(), sends.end()), 1);
      ASSERT_LE(*std::max_element(receives.begin(), receives.end()), 1);
    }
  }
}

/// What a rank has to send at least: all-reduce everything but one chunk, twice; reduce-scatter and
/// all-gather once; a chain everything, the last rank nothing. Chunks of e elements are e/n, the
/// first e mod n of them one larger; what rank i leaves out follows from its first chunk being i.
std::int64_t sent_in_theory(CollectiveKind kind, int n, std::int64_t elements, int rank) {
  const auto chunk = [&](int index) {
    const int wrapped = (index % n + n) % n;
    return elements / n + (wrapped < elements % n ? 1 : 0);
  };
  if (n == 1) return 0;
  switch (kind) {
    case CollectiveKind::kAllReduce:
      // Rounds 0..n-2 send chunks i, i-1, .. i+2 (all but i+1), rounds n-1..2n-3 i+1, i, .. i+3.
      return (elements - chunk(rank + 1)) + (elements - chunk(rank + 2));
    case CollectiveKind::kReduceScatter:
      return elements - chunk(rank + 1);
    case CollectiveKind::kAllGather:
      return (n - 1) * elements;
    default:
      return rank == n - 1 ? 0 : elements;
  }
}

TEST_P(AnyCollective, EachRankSendsWhatTheoryAsksForToTheElement) {
  for (int n = 1; n <= kMostRanks; ++n) {
    for (const std::int64_t elements :
         {std::int64_t{1}, std::int64_t{n}, std::int64_t{1000}, std::int64_t{1'000'001}}) {
      const auto schedule = schedule_of(GetParam(), n, elements);
      std::vector<std::int64_t> sent(static_cast<std::size_t>(n), 0);
      for (int round = 0; round < schedule->rounds(); ++round) {
        for (const Message& message : messages_of(*schedule, round)) {
          sent[static_cast<std::size_t>(message.from)] += message.elements.count();
        }
      }
      for (int rank = 0; rank < n; ++rank) {
        const std::int64_t expected = sent_in_theory(GetParam(), n, elements, rank);
        ASSERT_EQ(sent[static_cast<std::size_t>(rank)], expected) << "n " << n << " rank " << rank;
        ASSERT_EQ(schedule->sent_by(rank).count(), expected) << "n " << n << " rank " << rank;
      }
    }
  }
}

TEST_P(AnyCollective, ThePhasesNameExactlyTheEdgesThatCarryMessages) {
  for (const int n : {1, 2, 3, 7, 96, 128}) {
    const auto schedule = schedule_of(GetParam(), n, 1'000'001);
    std::vector<std::pair<int, int>> used;
    for (int round = 0; round < schedule->rounds(); ++round) {
      for (const Message& message : messages_of(*schedule, round)) {
        used.emplace_back(message.from, message.to);
      }
    }
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    std::vector<std::pair<int, int>> named;
    int rounds = 0;
    for (const Phase& phase : schedule->phases()) {
      rounds += phase.rounds;
      for (const Edge& edge : phase.edges) named.emplace_back(edge.from, edge.to);
    }
    std::sort(named.begin(), named.end());
    EXPECT_EQ(named, used) << "n " << n;
    EXPECT_EQ(rounds, schedule->rounds()) << "n " << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, AnyCollective,
                         testing::Values(CollectiveKind::kAllReduce, CollectiveKind::kAllGather,
                                         CollectiveKind::kReduceScatter,
                                         CollectiveKind::kBroadcast));

}  // namespace
}  // namespace gradwire
