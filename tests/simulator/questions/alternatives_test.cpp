#include "simulator/questions/alternatives.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "simulator/study/estimator.hpp"
#include "tests/simulator/questions/small_question.hpp"

namespace gradwire {
namespace {

const Alternative* find(const std::vector<Alternative>& all, const std::string& what) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Alternative& one) {
    return one.what.find(what) != std::string::npos;
  });
  return found == all.end() ? nullptr : &*found;
}

double milliseconds_a_batch(const Alternative& alternative) {
  return recurrence_time(alternative.scenario).count() * 1e3 / alternative.batches;
}

TEST(Alternatives, AccumulationSynchronisesInTheLastPass) {
  const auto all = alternatives_of(test::small_scenario());
  // Ready at 35 and 45 of 50 ms: 60 ms of network from 35 on, then 40. Twice the samples.
  EXPECT_NEAR(milliseconds_a_batch(*find(all, "over 2 passes")), (35.0 + 100.0) / 2, 1e-6);
  // At 85 and 95 of 100.
  EXPECT_NEAR(milliseconds_a_batch(*find(all, "over 4 passes")), (85.0 + 100.0) / 4, 1e-6);
}

TEST(Alternatives, TwiceTheBatchTakesTwiceTheBackwardPass) {
  const auto all = alternatives_of(test::small_scenario());
  // Ready at 20 and 40 of 50 ms.
  EXPECT_NEAR(milliseconds_a_batch(*find(all, "twice the batch")), (20.0 + 100.0) / 2, 1e-6);
}

TEST(Alternatives, TheNextTwoUsualNicsAreShown) {
  Scenario scenario = test::small_scenario();
  scenario.cluster.nic.bandwidth = BitsPerSecond{25e9};
  const auto all = alternatives_of(scenario);
  EXPECT_EQ(find(all, "25 Gbps"), nullptr);
  ASSERT_NE(find(all, "40 Gbps"), nullptr);
  ASSERT_NE(find(all, "50 Gbps"), nullptr);
  EXPECT_EQ(find(all, "100 Gbps"), nullptr);
  EXPECT_EQ(find(all, "40 Gbps")->scenario.cluster.nic.bandwidth, BitsPerSecond{40e9});
}

TEST(Alternatives, NicsAreNoAlternativeInsideANode) {
  Scenario scenario = test::small_scenario();
  scenario.cluster = test::mixed_cluster(2, 4);
  EXPECT_EQ(find(alternatives_of(scenario), "NICs"), nullptr);
}

TEST(Alternatives, TheBestOfTheOtherBucketCapsIsShown) {
  // 40 gradients of 1 MiB, one a millisecond, on a network that is as fast: the smaller the
  // buckets, the less is left behind the last one.
  std::vector<test::GradientAt> gradients;
  for (int i = 0; i < 40; ++i) gradients.push_back({1.0 + i, 262'144});
  Scenario scenario = test::small_scenario();
  scenario.workload = test::workload_of(gradients, 40);
  scenario.caps = BucketCaps{};
  scenario.cluster.nic.bandwidth = BitsPerSecond{10e9};
  const auto all = alternatives_of(scenario);
  const Alternative* found = find(all, "bucket cap");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->what, "bucket cap 1 MiB, the best of others");
  EXPECT_EQ(found->scenario.caps.rest, Bytes{1'048'576});
  // One MiB among two ranks takes 1,048,576 bytes at 10 Gbps.
  EXPECT_NEAR(recurrence_time(found->scenario).count(), 40e-3 + 1'048'576 * 8 / 10e9, 1e-9);
}

}  // namespace
}  // namespace gradwire
