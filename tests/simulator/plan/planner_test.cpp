#include "simulator/plan/planner.hpp"

#include <gtest/gtest.h>

#include "simulator/collectives/registry.hpp"
#include "tests/support/clusters.hpp"
#include "tests/support/thrown.hpp"

namespace gradwire {
namespace {

ReadyGradient gradient(std::int64_t elements, double ready_seconds, DType dtype = DType::kFloat32) {
  ReadyGradient result;
  result.elements = Elements{elements};
  result.ready = Seconds{ready_seconds};
  result.dtype = dtype;
  return result;
}

/// Three buckets of one gradient each (every gradient reaches the caps of 1 KiB), ready at 2, 5 and
/// 9 ms of a backward pass of 10 ms.
Scenario three_buckets() {
  Scenario scenario;
  scenario.workload.edit().gradients = {gradient(1000, 2e-3), gradient(3000, 5e-3),
                                        gradient(2000, 9e-3)};
  scenario.workload.edit().backward_span = Seconds{10e-3};
  scenario.cluster = test::flat_cluster(4, 10e9, 20e-6);
  scenario.workers = 4;
  scenario.caps = {Bytes{1024}, Bytes{1024}};
  return scenario;
}

TEST(Planner, PutsEachBucketBehindTheComputeThatFillsItAndTheRestOfBackwardLast) {
  Scenario scenario = three_buckets();
  scenario.overlap_slowdown = 1.07;
  EXPECT_EQ(to_text(make_plan(scenario)),
            "workers 4 overlap_slowdown 1.07 latency blocking\n"
            "0 compute C0 2.000000ms\n"
            "1 communicate A0 all_reduce 1000x4B after 0\n"
            "2 compute C1 3.000000ms\n"
            "3 communicate A1 all_reduce 3000x4B after 2\n"
            "4 compute C2 4.000000ms\n"
            "5 communicate A2 all_reduce 2000x4B after 4\n"
            "6 compute C-tail 1.000000ms\n");
}

TEST(Planner, AddsNoTailWhereTheLastGradientEndsTheBackwardPass) {
  Scenario scenario = three_buckets();
  scenario.workload.edit().backward_span = Seconds{9e-3};
  EXPECT_EQ(make_plan(scenario).ops.back().label, "A2");
}

TEST(Planner, GivesOneWorkerItsWholeBackwardPassAndNoCommunication) {
  Scenario scenario = three_buckets();
  scenario.workers = 1;
  EXPECT_EQ(to_text(make_plan(scenario)),
            "workers 1 overlap_slowdown 1 latency blocking\n"
            "0 compute C-tail 10.000000ms\n");
}

TEST(Planner, LaunchesABucketThatIsReadyEarlyBehindTheBucketsInFrontOfIt) {
  Scenario scenario = three_buckets();
  scenario.workload.edit().gradients[1].ready =
      Seconds{1e-3};  // before bucket 0, which is ready at 2 ms
  EXPECT_EQ(to_text(make_plan(scenario)),
            "workers 4 overlap_slowdown 1 latency blocking\n"
            "0 compute C0 2.000000ms\n"
            "1 communicate A0 all_reduce 1000x4B after 0\n"
            "2 compute C1 0.000000ms\n"
            "3 communicate A1 all_reduce 3000x4B after 2\n"
            "4 compute C2 7.000000ms\n"
            "5 communicate A2 all_reduce 2000x4B after 4\n"
            "6 compute C-tail 1.000000ms\n");
}

TEST(Planner, SendsTheElementsOfEachBucketInItsOwnElementSize) {
  Scenario scenario = three_buckets();
  scenario.workload.edit().gradients = {gradient(1000, 2e-3, DType::kFloat16),
                                        gradient(3000, 5e-3, DType::kFloat32)};
  const std::string text = to_text(make_plan(scenario));
  EXPECT_NE(text.find("all_reduce 1000x2B"), std::string::npos) << text;
  EXPECT_NE(text.find("all_reduce 3000x4B"), std::string::npos) << text;
}

TEST(Planner, PutsTheWorkOfAllComputeOpsTogetherToTheBackwardSpan) {
  double work = 0.0;
  for (const Op& op : make_plan(three_buckets()).ops) work += op.work.count();
  EXPECT_NEAR(work, 10e-3, 1e-15);
}

TEST(Planner, PlansAWorkloadWithoutGradientsAsComputeAlone) {
  Scenario scenario = three_buckets();
  scenario.workload.edit().gradients.clear();
  EXPECT_EQ(to_text(make_plan(scenario)),
            "workers 4 overlap_slowdown 1 latency blocking\n"
            "0 compute C-tail 10.000000ms\n");
}

TEST(Planner, RefusesWhatCheckScenarioRefuses) {
  Scenario scenario = three_buckets();
  scenario.workers = 5;
  EXPECT_NE(test::input_error_of([&] { (void)make_plan(scenario); }).find("5 found"),
            std::string::npos);
}

TEST(CollectivePlan, IsOneCommunicationOpThatDependsOnNothing) {
  const auto schedule = make_schedule({CollectiveKind::kBroadcast, Elements{7}, Bytes{2}}, 3);
  EXPECT_EQ(to_text(make_collective_plan(schedule, LatencyMode::kMean)),
            "workers 3 overlap_slowdown 1 latency mean\n"
            "0 communicate A0 broadcast 7x2B\n");
}

}  // namespace
}  // namespace gradwire
