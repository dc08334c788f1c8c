#include "simulator/questions/gradient_flow.hpp"

#include <gtest/gtest.h>

#include "compressors/spec/registry.hpp"
#include "simulator/plan/planner.hpp"
#include "simulator/study/estimator.hpp"
#include "tests/support/clusters.hpp"
#include "tests/support/workloads.hpp"

namespace gradwire {
namespace {

/// Two buckets of two gradients: ready at 1 and 2 ms, and at 4 and 6 ms of a pass of 8 ms; four
/// ranks on 10 Gbps.
Scenario two_buckets() {
  Scenario scenario;
  scenario.workload = test::workload_of({{1, 100}, {2, 1000}, {4, 300}, {6, 2000}}, 8);
  for (std::size_t i = 0; i < 4; ++i) {
    scenario.workload.edit().gradients[i].parameter = std::string(1, static_cast<char>('a' + i));
  }
  scenario.cluster = test::flat_cluster(4, 10e9, 20e-6);
  scenario.workers = 4;
  scenario.caps = {Bytes{4400}, Bytes{9200}};
  return scenario;
}

struct Found {
  Timeline timeline;
  GradientFlows flows;
};

Found find(const Scenario& scenario, std::vector<int> ranks = {0}) {
  EstimatorSettings settings;
  settings.timeline.ranks = std::move(ranks);
  Found found;
  found.timeline = estimate(scenario, Estimator::kSimgrid, settings).timeline;
  found.flows = gradient_flows(scenario, make_plan(scenario), found.timeline);
  return found;
}

/// "C0 bucket 0 A0" for the flow's stops.
std::string stops(const Found& found, const Flow& flow) {
  std::string text;
  for (const FlowStop& stop : flow) {
    if (!text.empty()) text += " > ";
    text += stop.place == FlowStop::Place::kBucket
                ? "bucket " + std::to_string(found.flows.buckets[stop.index].bucket)
                : found.timeline.intervals[stop.index].label;
  }
  return text;
}

TEST(GradientFlows, LeadFromTheComputeThatMakesTheLastGradientToItsBucketAndItsCollective) {
  const Found found = find(two_buckets());
  ASSERT_EQ(found.flows.flows.size(), 2U);
  EXPECT_EQ(stops(found, found.flows.flows[0]), "C0 > bucket 0 > A0");
  EXPECT_EQ(stops(found, found.flows.flows[1]), "C1 > bucket 1 > A1");
  for (const Flow& flow : found.flows.flows) {
    for (std::size_t i = 1; i < flow.size(); ++i) EXPECT_GE(flow[i].time, flow[i - 1].time);
  }
}

TEST(GradientFlows, PutGradientsAndBucketsWhereTheWorkloadHasThem) {
  const Found found = find(two_buckets());  // nothing slows the compute down
  ASSERT_EQ(found.flows.gradients.size(), 4U);
  const std::vector<double> ready = {1e-3, 2e-3, 4e-3, 6e-3};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(found.flows.gradients[i].time.count(), ready[i], 1e-12);
    EXPECT_EQ(found.flows.gradients[i].parameter, std::string(1, static_cast<char>('a' + i)));
  }
  ASSERT_EQ(found.flows.buckets.size(), 2U);
  const BucketFill& second = found.flows.buckets[1];
  EXPECT_NEAR(second.start.count(), 4e-3, 1e-12);
  EXPECT_NEAR(second.end.count(), 6e-3, 1e-12);
  EXPECT_EQ(second.gradients, 2U);
  EXPECT_EQ(second.bytes, Bytes{9200});
  EXPECT_EQ(second.last, "d");
}

TEST(GradientFlows, FollowARankThatComputesTwiceAsLong) {
  Scenario scenario = two_buckets();
  scenario.compute_factors = {1.0, 2.0, 1.0, 1.0};
  const Found found = find(scenario, {0, 1});
  ASSERT_EQ(found.flows.gradients.size(), 8U);
  EXPECT_EQ(found.flows.gradients[4].rank, 1);
  EXPECT_NEAR(found.flows.gradients[4].time.count(), 2e-3, 1e-12);
  EXPECT_EQ(found.flows.flows.size(), 4U);
}

TEST(GradientFlows, LieInsideComputeThatCommunicationSlowsDown) {
  Scenario scenario = two_buckets();
  scenario.overlap_slowdown = 1.5;
  const Found found = find(scenario);
  for (const Flow& flow : found.flows.flows) {
    const Interval& made = found.timeline.intervals[flow.front().index];
    EXPECT_EQ(flow.front().time, made.end);  // a bucket is full where its compute op ends
  }
  // `c` is ready half-way through C1, from 2 to 6 ms, which the first all-reduce slows down.
  const Interval& second = found.timeline.intervals[found.flows.flows[1].front().index];
  EXPECT_GT(second.end - second.start, second.work);
  EXPECT_NEAR(found.flows.gradients[2].time.count(),
              (second.start + (second.end - second.start) / 2).count(), 1e-12);
}

TEST(GradientFlows, OfSerialCompressionLeadThroughEncodeEveryCollectiveAndDecode) {
  Scenario scenario = two_buckets();
  scenario.workload.edit().gradients[3].shape = {40, 50};
  scenario.compression.scheme = parse_scheme("powersgd:rank=1,min_compression_rate=0");
  scenario.compression.encode = Seconds{1e-3};
  scenario.compression.decode = Seconds{1e-3};
  const Found found = find(scenario);
  EXPECT_TRUE(found.flows.buckets.empty());  // DDP's buckets are not what is exchanged
  ASSERT_EQ(found.flows.flows.size(), 1U);
  EXPECT_EQ(stops(found, found.flows.flows[0]), "C > encode > 1-D tensors > P > Q > decode");
}

TEST(GradientFlows, OfOneWorkerLeadNowhere) {
  Scenario scenario = two_buckets();
  scenario.workers = 1;
  const Found found = find(scenario);
  EXPECT_TRUE(found.flows.flows.empty());
  EXPECT_EQ(found.flows.gradients.size(), 4U);
}

}  // namespace
}  // namespace gradwire
