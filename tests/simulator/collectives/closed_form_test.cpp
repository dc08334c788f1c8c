#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "simulator/collectives/double_tree.hpp"
#include "simulator/collectives/registry.hpp"
#include "tests/simulator/collectives/every_algorithm.hpp"
#include "tests/support/algorithm_forms.hpp"
#include "tests/support/clusters.hpp"

namespace gradwire {
namespace {

using test::described;

constexpr double kAlpha = 20e-6;
constexpr double kBandwidth = 10e9;

class ClosedForm : public testing::TestWithParam<AlgorithmEntry> {
 protected:
  static std::unique_ptr<Schedule> schedule_of(int n, std::int64_t elements, int servers = 1) {
    return GetParam().make({GetParam().kind, Elements{elements}, Bytes{4}}, {n, 1, servers});
  }
  static double seconds(const Schedule& schedule) {
    return schedule.closed_form(Seconds{kAlpha}, BitsPerSecond{kBandwidth}).count();
  }
};

TEST_P(ClosedForm, IsTheOracleForEveryNFrom1To128AndAnyElementCount) {
  for (int n = 1; n <= 128; ++n) {
    for (const std::int64_t elements :
         {std::int64_t{1}, std::int64_t{std::max(1, n - 1)}, std::int64_t{n}, std::int64_t{1000},
          std::int64_t{1'000'001}, std::int64_t{250'000'000}}) {
      const int servers = 1 + n / 3;
      const auto schedule = schedule_of(n, elements, servers);
      const double expected = test::algorithm_form(GetParam().kind, GetParam().algorithm, n,
                                                   elements, double_tree_depth(n), servers)
                                  .seconds(kAlpha, kBandwidth);
      ASSERT_NEAR(seconds(*schedule), expected, 1e-12 * expected)
          << described(GetParam(), *schedule);
    }
  }
}

TEST_P(ClosedForm, IsTheTextbooksWhereTheChunksDivideTheElements) {
  for (int n = 2; n <= 128; ++n) {
    // A chunk of a pipeline is 512 KiB, 131072 floats: these elements are whole ones, also of a
    // half.
    const std::int64_t elements =
        std::int64_t{262'144} * n * std::bit_floor(static_cast<unsigned>(n));
    const auto schedule = schedule_of(n, elements);
    const double textbook =
        schedule->textbook_form(Seconds{kAlpha}, BitsPerSecond{kBandwidth}).count();
    ASSERT_NEAR(textbook, seconds(*schedule), 1e-12 * textbook) << described(GetParam(), *schedule);
  }
}

TEST_P(ClosedForm, IsNotBelowTheTextbooksAndAboveItByAtMostAnElementARound) {
  for (int n = 2; n <= 128; ++n) {
    for (const std::int64_t elements : {1, 100, 1'000'003}) {
      const auto schedule = schedule_of(n, elements);
      const double textbook =
          schedule->textbook_form(Seconds{kAlpha}, BitsPerSecond{kBandwidth}).count();
      // Incast and direct messages of a rank follow each other on its link.
      const double messages = schedule->rounds() + 2.0 * n;
      EXPECT_GE(seconds(*schedule), textbook * (1 - 1e-12)) << described(GetParam(), *schedule);
      EXPECT_LE(seconds(*schedule), textbook * (1 + 1e-12) + messages * 4 * 8 / kBandwidth)
          << described(GetParam(), *schedule);
    }
  }
}

/// Chan, Heimlich, Purkayastha and van de Geijn, "Collective communication: theory, practice, and
/// experience" (2007), section 4: what no algorithm among ranks alone beats where a rank sends and
/// receives one message at a time.
double lower_bound(CollectiveKind kind, int n, double bytes) {
  const double latency = std::bit_width(static_cast<unsigned>(n - 1)) * kAlpha;
  const double whole = bytes * 8 / kBandwidth;
  const double most = whole * (n - 1) / n;
  switch (kind) {
    case CollectiveKind::kAllReduce:
      return std::max(latency, 2 * most);
    case CollectiveKind::kAllGather:  // bytes of one contribution
      return std::max(latency, whole * (n - 1));
    case CollectiveKind::kReduceScatter:
      return std::max(latency, most);
    case CollectiveKind::kAllToAll:
      return std::max(kAlpha, most);
    default:
      return std::max(latency, whole);
  }
}

TEST_P(ClosedForm, IsNotBelowWhatAnyAlgorithmTakes) {
  const std::string_view name = GetParam().algorithm;
  for (int n = 2; n <= 128; ++n) {
    for (const std::int64_t elements : {1, 1000, 1'000'003, 250'000'000}) {
      const auto schedule = schedule_of(n, elements, n);
      double bound = lower_bound(GetParam().kind, n, static_cast<double>(elements) * 4);
      // Switches that sum need one pass, n servers' messages go all at once, gossip learns of two.
      const double whole = static_cast<double>(elements) * 4 * 8 / kBandwidth;
      if (name == "in_network" || name == "gossip") bound = whole;
      if (name == "parameter_server") bound = std::max(2 * kAlpha, 2 * whole * (n - 1) / n);
      EXPECT_GE(seconds(*schedule), bound * (1 - 1e-12)) << described(GetParam(), *schedule);
    }
  }
}

TEST_P(ClosedForm, OfOneRankIsNoTimeEvenWhereLatencyIsLarge) {
  const auto schedule = schedule_of(1, 1'000'001);
  EXPECT_EQ(schedule->rounds(), 0);
  EXPECT_TRUE(schedule->phases().empty());
  EXPECT_EQ(schedule->closed_form(Seconds{1}, BitsPerSecond{1}).count(), 0.0);
}

INSTANTIATE_TEST_SUITE_P(Registry, ClosedForm, testing::ValuesIn(algorithms()), test::test_name);

TEST(TextbookForm, IsBelowTheClosedFormWhereAChunkIsRoundedUp) {
  // 100 elements on 96 ranks: chunks of 2 where the textbook has 1.04.
  const auto schedule = make_schedule({CollectiveKind::kAllReduce, Elements{100}, Bytes{4}}, 96);
  const double textbook = schedule->textbook_form(Seconds{0}, BitsPerSecond{32}).count();
  EXPECT_NEAR(textbook, 190 * 100.0 / 96.0, 1e-9);  // 32 bit/s: an element a second
  EXPECT_NEAR(schedule->closed_form(Seconds{0}, BitsPerSecond{32}).count(), 190 * 2.0, 1e-9);
}

TEST(ClosedFormOnNodes, OfAHierarchicalAllReduceSharesTheNicAmongTheRingsOfANode) {
  // 3 nodes of 4, 1200 floats: inside 2 * 3 (3 us + 300 * 4 B at 400 Gbps), across 2 * 2 (20 us +
  // 4 * 100 * 4 B at 10 Gbps).
  const Cluster cluster = test::mixed_cluster(3, 4);
  const auto schedule = make_schedule({CollectiveKind::kAllReduce, Elements{1200}, Bytes{4}},
                                      {12, 4}, "hierarchical");
  const double expected = 6 * (3e-6 + 300 * 32 / 400e9) + 4 * (20e-6 + 400 * 32 / 10e9);
  EXPECT_NEAR(schedule->closed_form_on_nodes(cluster.nic, cluster.intra).count(), expected,
              1e-12 * expected);
}

TEST(ClosedFormOnNodes, OfALeaderRingHasOneRingBetweenNodes) {
  // 3 nodes of 4, 1200 floats, one chunk: twice 3 hops inside, 2 * 2 (20 us + 400 * 4 B at 10
  // Gbps).
  const Cluster cluster = test::mixed_cluster(3, 4);
  const auto schedule =
      make_schedule({CollectiveKind::kAllReduce, Elements{1200}, Bytes{4}}, {12, 4}, "leader_ring");
  const double expected = 6 * (3e-6 + 1200 * 32 / 400e9) + 4 * (20e-6 + 400 * 32 / 10e9);
  EXPECT_NEAR(schedule->closed_form_on_nodes(cluster.nic, cluster.intra).count(), expected,
              1e-12 * expected);
}

TEST(DoubleTree, NoRankHasChildrenInBothTreesButWhereTheirNumberIsOdd) {
  for (int n = 2; n <= 128; ++n) {
    const TreeParents parents = double_tree_parents(n);
    int both = 0;
    for (int rank = 0; rank < n; ++rank) {
      const auto inner = [&](const std::vector<int>& tree) {
        return std::find(tree.begin(), tree.end(), rank) != tree.end();
      };
      both += inner(parents.first) && inner(parents.second) ? 1 : 0;
    }
    EXPECT_LE(both, n % 2) << n;
    EXPECT_EQ(std::count(parents.first.begin(), parents.first.end(), -1), 1) << n;
    EXPECT_EQ(std::count(parents.second.begin(), parents.second.end(), -1), 1) << n;
  }
}

TEST(DoubleTree, TheFirstChunkIsEverywhereWithinTwoRoundsALevel) {
  for (int n = 2; n <= 1024; ++n) {
    const int levels = static_cast<int>(std::bit_width(static_cast<unsigned>(n - 1)));
    EXPECT_GE(double_tree_depth(n), levels / 2) << n;
    EXPECT_LE(double_tree_depth(n), 2 * levels) << n;
  }
}

}  // namespace
}  // namespace gradwire
