// Background traffic beside an all-reduce of 8 nodes at 10 Gbps and 20 us.
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "simulator/engine/recurrence/recurrence_engine.hpp"
#include "simulator/engine/simgrid/simgrid_engine.hpp"
#include "simulator/scenario/network_conditions_text.hpp"
#include "tests/support/clusters.hpp"
#include "tests/support/plans.hpp"

namespace gradwire {
namespace {

constexpr int kNodes = 8;
constexpr double kLatency = 20e-6;
constexpr double kLatencies = 14 * kLatency;
constexpr double kWhole = 14 * 4e6 / (10e9 / 8);  // 14 rounds of chunks of 4 MB, seconds

Cluster flat() { return test::flat_cluster(kNodes, 10e9, kLatency); }

double end(const std::vector<std::string>& flows, const std::vector<std::string>& events = {}) {
  Plan plan = test::collectives_in_a_row(
      {make_schedule({CollectiveKind::kAllReduce, Elements{8'000'000}, Bytes{4}}, kNodes)});
  for (const std::string& flow : flows) {
    plan.background.push_back(parse_background_flow(flow, "flow"));
  }
  std::vector<LinkEvent> parsed;
  for (const std::string& event : events) parsed.push_back(parse_link_event(event, "event"));
  plan.link_events = capacity_changes(parsed, flat());
  const double collapsed =
      play_simgrid(plan, flat(), {}, {SimgridMode::kCoupled, true}).end.count();
  EXPECT_NEAR(play_simgrid(plan, flat(), {}, {SimgridMode::kCoupled, false}).end.count(), collapsed,
              collapsed * 1e-9);
  return collapsed;
}

TEST(Background, AFlowAsFastAsItsLinksTakesHalfOfANic) {
  EXPECT_NEAR(end({"0->1"}), kLatencies + 2 * kWhole, kWhole * 1e-6);
  // Two on one NIC leave a third.
  EXPECT_NEAR(end({"0->2", "0->3"}), kLatencies + 3 * kWhole, kWhole * 1e-6);
}

TEST(Background, AFlowOfARateTakesThatRateFromANic) {
  EXPECT_NEAR(end({"0->3 4Gbps"}), kLatencies + kWhole / 0.6, kWhole * 1e-6);
  // More than its fair share it does not get.
  EXPECT_NEAR(end({"0->3 9Gbps"}), kLatencies + kWhole / 0.5, kWhole * 1e-6);
}

TEST(Background, AFlowBetweenNodesThatAreOffItsWayCostsNothing) {
  Cluster larger = test::flat_cluster(kNodes + 2, 10e9, kLatency);
  Plan plan = test::collectives_in_a_row(
      {make_schedule({CollectiveKind::kAllReduce, Elements{8'000'000}, Bytes{4}}, kNodes)});
  plan.background = {parse_background_flow("8->9", "flow")};
  EXPECT_NEAR(play_simgrid(plan, larger, {}, {}).end.count(), kLatencies + kWhole, kWhole * 1e-6);
}

TEST(Background, AFlowInTurnsTakesItsShareOfTheTime) {
  // Turns of 5 ms at 4 Gbps every 10 ms: while on, 0.6 of the NIC is left. The bytes, 44.8 ms of
  // the NIC, end in the pause that ends at 60 ms.
  const double moved_by_60ms = 6 * (5e-3 + 0.6 * 5e-3) - 0.6 * kLatencies;
  ASSERT_GT(moved_by_60ms, kWhole);
  ASSERT_LT(moved_by_60ms - 5e-3, kWhole);
  EXPECT_NEAR(end({"0->3 4Gbps on 5ms off 5ms"}), 60e-3 - (moved_by_60ms - kWhole), kWhole * 1e-5);
}

TEST(Background, ATurnThatIsHeldUpEndsLater) {
  // 10 Gbps for 10 ms is 12.5 MB: at half of the NIC it lasts 20 ms, and the next turn begins. The
  // first has the NIC alone while we pay latency, ends as much before 20 ms, and leaves us alone.
  EXPECT_NEAR(end({"0->3 10Gbps on 10ms off 10ms"}), 2 * kWhole, kWhole * 1e-6);
}

TEST(Background, MoreOfItIsNeverFaster) {
  double before = 0.0;
  for (const char* flow : {"0->3 1Mbps", "0->3 1Gbps", "0->3 3Gbps", "0->3 5Gbps", "0->3"}) {
    const double found = end({flow});
    EXPECT_GE(found, before * (1 - 1e-9)) << flow;
    before = found;
  }
}

TEST(Background, AFlowOnALostLinkLetsTheSimulationEnd) {
  // Of the ring node 3 only receives from 2; the flow's own way is lost behind the end.
  EXPECT_NEAR(end({"0->3 4Gbps", "0->3 1Gbps on 1ms off 1ms"}, {"nic 3 at 10s fails"}),
              end({"0->3 4Gbps", "0->3 1Gbps on 1ms off 1ms"}), 1e-9);
}

TEST(Background, SameAnswerEveryTime) {
  EXPECT_EQ(end({"0->3 4Gbps on 3ms off 1ms", "5->2"}), end({"0->3 4Gbps on 3ms off 1ms", "5->2"}));
}

TEST(Background, EnginesThatDoNotPlayItRefuse) {
  Plan plan = test::collectives_in_a_row(
      {make_schedule({CollectiveKind::kAllReduce, Elements{8}, Bytes{4}}, kNodes)});
  plan.background = {parse_background_flow("0->1", "flow")};
  EXPECT_THROW(recurrence_end(plan, flat()), InputError);
  EXPECT_THROW(play_simgrid(plan, flat(), {}, {SimgridMode::kStep, false}), InputError);
}

}  // namespace
}  // namespace gradwire
