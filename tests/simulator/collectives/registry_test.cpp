#include "simulator/collectives/registry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulator/collectives/latency_mode.hpp"
#include "tests/support/clusters.hpp"
#include "tests/support/thrown.hpp"

namespace gradwire {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(Registry, RefusesAnUnknownAlgorithmAndListsTheKnownOnes) {
  EXPECT_THAT(
      test::input_error_of([] { (void)find_algorithm(CollectiveKind::kAllReduce, "butterfly"); }),
      AllOf(HasSubstr("butterfly"), HasSubstr("accepted: ring")));
}

TEST(Registry, RefusesACollectiveThatIsNotModelled) {
  EXPECT_THAT(
      test::input_error_of([] {
        (void)make_schedule({CollectiveKind::kOpaque, Elements{10}, Bytes{4}}, 4);
      }),
      AllOf(HasSubstr(std::string(name_of(CollectiveKind::kOpaque))), HasSubstr("all_reduce")));
}

TEST(Registry, FindsAnAlgorithmByNameAndTheDefaultByAnEmptyOne) {
  EXPECT_EQ(find_algorithm(CollectiveKind::kBroadcast, "chain").algorithm, "chain");
  EXPECT_EQ(find_algorithm(CollectiveKind::kAllReduce, "").algorithm, "ring");
}

TEST(Registry, BusFactorsAreThoseOfNcclTests) {
  // PERFORMANCE.md of nccl-tests: all-reduce 2(n-1)/n, all-gather and reduce-scatter (n-1)/n,
  // broadcast 1.
  const auto factor = [](CollectiveKind kind) { return find_algorithm(kind, "").bus_factor(4); };
  EXPECT_DOUBLE_EQ(factor(CollectiveKind::kAllReduce), 1.5);
  EXPECT_DOUBLE_EQ(factor(CollectiveKind::kAllGather), 0.75);
  EXPECT_DOUBLE_EQ(factor(CollectiveKind::kReduceScatter), 0.75);
  EXPECT_DOUBLE_EQ(factor(CollectiveKind::kBroadcast), 1.0);
}

TEST(LatencyMode, IsReadBackFromItsNameAndRefusedOtherwise) {
  for (const LatencyMode mode :
       {LatencyMode::kBlocking, LatencyMode::kOverlapped, LatencyMode::kMean}) {
    EXPECT_EQ(latency_mode_from_name(name_of(mode)), mode);
  }
  EXPECT_THAT(test::input_error_of([] { (void)latency_mode_from_name("median"); }),
              AllOf(HasSubstr("median"), HasSubstr("blocking, overlapped, mean")));
}

TEST(PhaseCost, OfAMixedRingTakesTheLargestLatencyOrTheMeanAndTheSlowestLink) {
  // 8 ranks on 2 nodes: 2 edges over the NIC (20 us, 10 Gbps), 6 inside (3 us, 400 Gbps).
  const Cluster cluster = test::mixed_cluster(2, 4);
  const auto schedule = make_schedule({CollectiveKind::kAllReduce, Elements{8}, Bytes{4}}, 8);
  const Phase phase = schedule->phases().front();
  const PhaseCost blocking = phase_cost(phase, Bytes{4}, cluster, LatencyMode::kBlocking);
  EXPECT_DOUBLE_EQ(blocking.latency_per_round.count(), 20e-6);
  EXPECT_EQ(blocking.slowest, BitsPerSecond{10e9});
  const PhaseCost mean = phase_cost(phase, Bytes{4}, cluster, LatencyMode::kMean);
  EXPECT_NEAR(mean.latency_per_round.count(), (2 * 20e-6 + 6 * 3e-6) / 8, 1e-18);
}

}  // namespace
}  // namespace gradwire
