#include "simulator/scenario/contention.hpp"
#include "platforms/model/fat_tree.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "compressors/spec/registry.hpp"
#include "simulator/plan/planner.hpp"
#include "simulator/scenario/ring_order.hpp"
#include "tests/support/clusters.hpp"
#include "tests/support/thrown.hpp"
#include "tests/support/workloads.hpp"

namespace gradwire {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;

/// Eight workers on four nodes of two GPUs, gradients of a matrix each.
Scenario eight_workers() {
  Scenario scenario;
  scenario.workload = test::workload_of({{1.0, 10'000}, {3.0, 20'000}}, 4.0);
  for (ReadyGradient& gradient : scenario.workload.edit().gradients) {
    gradient.shape = {100, gradient.elements.count() / 100};
  }
  scenario.cluster = test::mixed_cluster(4, 2);
  scenario.workers = 8;
  return scenario;
}

/// The same with everything that contention has.
Scenario contended() {
  Scenario scenario = eight_workers();
  scenario.cluster.topology = racks(scenario.cluster.nodes, 2, 4.0);
  scenario.cluster.slow_nics = {{1, 0.5}};
  scenario.ring_order = {0, 1, 4, 5, 2, 3, 6, 7};
  scenario.second_job = SecondJob{Bytes{1'000'000}, Seconds{1e-3}};
  scenario.all_gather = "pairwise";
  return scenario;
}

TEST(ShuffledRing, IsTheSameWithEveryStandardLibrary) {
  // Worked out beside this program from the definition of mt19937_64: Fisher-Yates from the end.
  EXPECT_EQ(shuffled_ring(8, 1), (std::vector<int>{4, 6, 3, 5, 1, 7, 2, 0}));
  EXPECT_EQ(shuffled_ring(3, 7), (std::vector<int>{1, 2, 0}));
}

TEST(ShuffledRing, HoldsEveryRankOnceAndTheSeedDecides) {
  for (int n = 0; n <= 64; ++n) {
    std::vector<int> order = shuffled_ring(n, 42);
    std::sort(order.begin(), order.end());
    ASSERT_EQ(order.size(), static_cast<std::size_t>(n));
    for (int rank = 0; rank < n; ++rank) ASSERT_EQ(order[static_cast<std::size_t>(rank)], rank);
  }
  EXPECT_NE(shuffled_ring(64, 1), shuffled_ring(64, 2));
}

TEST(ShuffledNodes, KeepTheRanksOfANodeTogetherAndInOrderEvenWhereTheLastNodeIsNotFull) {
  // Three nodes of four GPUs, ten workers: nodes in the order 1, 2, 0 of the seed above.
  EXPECT_EQ(shuffled_nodes(test::mixed_cluster(6, 4), 10, 7),
            (std::vector<int>{4, 5, 6, 7, 8, 9, 0, 1, 2, 3}));
}

TEST(LinksAreShared, NeverOnOneSwitchByRingsOverWholeNodesNorBySlowNics) {
  Scenario scenario = eight_workers();
  EXPECT_FALSE(links_are_shared(scenario));
  scenario.ring_order = shuffled_nodes(scenario.cluster, 8, 3);
  EXPECT_FALSE(links_are_shared(scenario));
  scenario.cluster.slow_nics = {{2, 0.25}};
  EXPECT_FALSE(links_are_shared(scenario));
  scenario.cluster = test::flat_cluster(8, 10e9, 20e-6);
  scenario.ring_order = shuffled_ring(8, 3);
  EXPECT_FALSE(links_are_shared(scenario));
}

TEST(LinksAreShared, ByAShuffledRingThroughTrunksButNotByOneInOrder) {
  Scenario scenario = eight_workers();
  scenario.cluster.topology = racks(scenario.cluster.nodes, 2, 4.0);  // trunks of half a NIC
  EXPECT_FALSE(links_are_shared(scenario));
  scenario.ring_order = {0, 1, 4, 5, 2, 3, 6, 7};  // nodes 0 2 1 3: two edges leave each rack
  EXPECT_TRUE(links_are_shared(scenario));
  scenario.cluster.topology = racks(scenario.cluster.nodes, 2, 1.0);
  EXPECT_FALSE(links_are_shared(scenario));
}

TEST(LinksAreShared, ByASecondJobWhereTheRanksOccupySeveralNodes) {
  Scenario scenario = eight_workers();
  scenario.second_job = SecondJob{Bytes{1'000'000}, Seconds{1e-3}};
  EXPECT_TRUE(links_are_shared(scenario));
  scenario.workers = 2;
  EXPECT_FALSE(links_are_shared(scenario));
}

TEST(LinksAreShared, ByPairwiseAllGatherOfASchemeThatGathersOnNodesOfSeveralGpus) {
  Scenario scenario = eight_workers();
  scenario.all_gather = "pairwise";
  EXPECT_FALSE(links_are_shared(scenario)) << "nothing is gathered";
  scenario.compression.scheme = parse_scheme("topk:fraction=0.01");
  EXPECT_TRUE(links_are_shared(scenario));
  scenario.cluster = test::flat_cluster(8, 10e9, 20e-6);
  EXPECT_FALSE(links_are_shared(scenario));
}

TEST(CheckUnshared, NamesTheEngineThatAnswers) {
  EXPECT_NO_THROW(check_unshared(eight_workers()));
  EXPECT_THAT(test::input_error_of([] { check_unshared(contended()); }),
              EndsWith("shares links, or has link events or background traffic; only --engine "
                       "simgrid answers it"));
}

TEST(Nominal, IsTheScenarioOnOneSwitchOfEqualNicsWithNothingBeside) {
  const Scenario bare = nominal(contended());
  EXPECT_FALSE(links_are_shared(bare));
  EXPECT_EQ(to_text(make_plan(bare)), to_text(make_plan(eight_workers())));
  EXPECT_EQ(bare.cluster.topology, nullptr);
  EXPECT_TRUE(bare.cluster.slow_nics.empty());
  EXPECT_TRUE(bare.ring_order.empty());
  EXPECT_EQ(bare.all_gather, "ring");
}

TEST(CheckScenario, RefusesARingOrderThatMissesRanks) {
  Scenario scenario = eight_workers();
  for (const std::vector<int>& order :
       {std::vector<int>{0, 1, 2}, {0, 1, 2, 3, 4, 5, 6, 6}, {1, 2, 3, 4, 5, 6, 7, 8}}) {
    scenario.ring_order = order;
    EXPECT_THAT(test::input_error_of([&] { check_scenario(scenario); }),
                AllOf(HasSubstr("ring order"), HasSubstr("ranks 0 to 7 once")));
  }
}

TEST(CheckScenario, RefusesAnUnknownAllGather) {
  Scenario scenario = eight_workers();
  scenario.all_gather = "butterfly";
  EXPECT_THAT(test::input_error_of([&] { check_scenario(scenario); }),
              AllOf(HasSubstr("butterfly"), HasSubstr("ring, pairwise")));
}

TEST(CheckScenario, RefusesASecondJobOfNothingOrWithoutEnd) {
  Scenario scenario = eight_workers();
  const auto refusal = [&](std::int64_t payload, double compute) {
    scenario.second_job = SecondJob{Bytes{payload}, Seconds{compute}};
    return test::input_error_of([&] { check_scenario(scenario); });
  };
  EXPECT_THAT(refusal(0, 1.0), HasSubstr("second job: a payload of 0 bytes"));
  EXPECT_THAT(refusal(1000, -1.0), HasSubstr("second job: a compute time of -1 s"));
  // Four nodes, no latency: 6 rounds of 250 B at 10 Gbps are 1.2 us.
  scenario.cluster.nic.latency = Seconds{0};
  EXPECT_THAT(refusal(1000, 0.0), AllOf(HasSubstr("every 1.2"), HasSubstr("1e-05 s or more")));
}

TEST(Planner, PlaysTheSecondJobBetweenTheFirstRanksOfTheNodesThatAreOccupied) {
  Scenario scenario = contended();
  scenario.workers = 5;  // nodes 0, 1 and half of 2
  scenario.ring_order.clear();
  const Plan plan = make_plan(scenario);
  ASSERT_TRUE(plan.second_job.has_value());
  EXPECT_EQ(plan.second_job->collective->phases().front().edges,
            (std::vector<Edge>{{0, 2}, {2, 4}, {4, 0}}));
  EXPECT_EQ(plan.second_job->compute, Seconds{1e-3});
  EXPECT_THAT(to_text(plan), EndsWith("second job: compute 1.000000ms, all_reduce 1000000x1B on "
                                      "3 nodes\n"));
  scenario.workers = 2;
  EXPECT_FALSE(make_plan(scenario).second_job.has_value());
}

TEST(Planner, PutsEveryCollectiveOnTheRingOrder) {
  Scenario scenario = contended();
  const Plan plan = make_plan(scenario);
  int collectives = 0;
  for (const Op& op : plan.ops) {
    if (!op.collective) continue;
    ++collectives;
    EXPECT_EQ(op.collective->phases().front().edges.at(1), (Edge{1, 4}));
  }
  EXPECT_GT(collectives, 0);
}

TEST(AllReduceAlgorithm, IsTheScenariosAndSharesNicsWhereItsMessagesDo) {
  for (const auto& [name, shared] : {std::pair{"ring", false},
                                     {"double_tree", false},
                                     {"leader_ring", false},
                                     {"in_network", false},
                                     {"nccl", false},
                                     {"halving_doubling", true},
                                     {"hierarchical", true},
                                     {"parameter_server", true}}) {
    Scenario scenario = eight_workers();
    scenario.all_reduce = name;
    EXPECT_EQ(links_are_shared(scenario), shared) << name;
  }
}

TEST(AllReduceAlgorithm, OfAParameterServerHasOneServerANode) {
  Scenario scenario = eight_workers();
  scenario.all_reduce = "parameter_server";
  const auto schedule =
      schedule_of(scenario, {CollectiveKind::kAllReduce, Elements{8000}, Bytes{4}});
  // Four nodes: each server has 2000 elements of the seven others to take in and to send.
  EXPECT_EQ(schedule->phases().front().elements, Elements{2000});
  EXPECT_EQ(schedule->sent_by(2), Elements{20'000});
  EXPECT_EQ(schedule->sent_by(3), Elements{8'000});
}

TEST(AllReduceAlgorithm, ByNcclIsATreeForSmallAndARingForLargeVectors) {
  Scenario scenario = eight_workers();
  scenario.all_reduce = "nccl";
  const auto rounds = [&](std::int64_t elements) {
    return schedule_of(scenario, {CollectiveKind::kAllReduce, Elements{elements}, Bytes{4}})
        ->rounds();
  };
  EXPECT_EQ(rounds(250'000'000), 2 * 7);  // the ring's
  EXPECT_NE(rounds(1), 2 * 7);
}

TEST(AllReduceAlgorithm, ByNcclIsARingWhereTheLastNodeIsNotFullAndOthersAreRefusedThere) {
  Scenario scenario = eight_workers();
  scenario.workers = 7;
  scenario.all_reduce = "nccl";
  EXPECT_EQ(schedule_of(scenario, {CollectiveKind::kAllReduce, Elements{1}, Bytes{4}})->rounds(),
            12);
  scenario.all_reduce = "double_tree";
  EXPECT_THAT(test::input_error_of([&] { check_scenario(scenario); }),
              AllOf(HasSubstr("double_tree"), HasSubstr("7 ranks"), HasSubstr("nodes of 2")));
  scenario.all_reduce = "guess";
  EXPECT_THAT(test::input_error_of([&] { check_scenario(scenario); }),
              AllOf(HasSubstr("guess"), HasSubstr("halving_doubling")));
}

}  // namespace
}  // namespace gradwire
