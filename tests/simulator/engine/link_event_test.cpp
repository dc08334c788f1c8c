// Links that slow down, fail and recover while an all-reduce runs. 8 nodes at 10 Gbps, 20 us.
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "platforms/model/fat_tree.hpp"
#include "simulator/engine/recurrence/recurrence_engine.hpp"
#include "simulator/engine/simgrid/simgrid_engine.hpp"
#include "simulator/scenario/network_conditions_text.hpp"
#include "simulator/timeline/iteration_result.hpp"
#include "tests/support/clusters.hpp"
#include "tests/support/plans.hpp"
#include "tests/support/thrown.hpp"

namespace gradwire {
namespace {

constexpr int kNodes = 8;
constexpr double kLatency = 20e-6;
constexpr double kBytesPerSecond = 10e9 / 8;
constexpr std::int64_t kElements = 8'000'000;
// 14 rounds of chunks of 4 MB.
constexpr double kLatencies = 14 * kLatency;
constexpr double kBytes = 14 * 4e6;
constexpr double kWhole = kBytes / kBytesPerSecond;

Cluster flat() { return test::flat_cluster(kNodes, 10e9, kLatency); }

Plan ring(const std::vector<std::string>& events, const Cluster& cluster = flat()) {
  Plan plan = test::collectives_in_a_row(
      {make_schedule({CollectiveKind::kAllReduce, Elements{kElements}, Bytes{4}}, kNodes)});
  std::vector<LinkEvent> parsed;
  for (const std::string& event : events) parsed.push_back(parse_link_event(event, "event"));
  plan.link_events = capacity_changes(parsed, cluster);
  return plan;
}

Timeline coupled(const Plan& plan, const Cluster& cluster = flat(), bool collapse = true) {
  return play_simgrid(plan, cluster, {}, {SimgridMode::kCoupled, collapse});
}

double end(const Plan& plan, const Cluster& cluster = flat()) {
  const double collapsed = coupled(plan, cluster, true).end.count();
  EXPECT_NEAR(coupled(plan, cluster, false).end.count(), collapsed, collapsed * 1e-9);
  return collapsed;
}

TEST(LinkEvent, OneThatChangesNothingLeavesTheClosedForm) {
  EXPECT_NEAR(end(ring({})), kLatencies + kWhole, kWhole * 1e-6);
  EXPECT_NEAR(end(ring({"nic 3 at 1ms recovers"})), kLatencies + kWhole, kWhole * 1e-6);
}

TEST(LinkEvent, ANicHalvedAfterHalfOfTheBytesCostsHalfOfTheTransferMore) {
  // kLatencies + kWhole / 2 = 280 us + 22.4 ms.
  EXPECT_NEAR(end(ring({"nic 3 at 22.68ms x0.5"})), kLatencies + kWhole * 1.5, kWhole * 1e-6);
}

TEST(LinkEvent, ANicThatRecoversInMidFlowIsFastAgain) {
  // 10 ms at half speed move as much as 5 ms.
  EXPECT_NEAR(end(ring({"nic 3 out at 10ms x0.5", "nic 3 out at 20ms recovers"})),
              kLatencies + kWhole + 5e-3, kWhole * 1e-6);
  // Slow before the flow begins, and back to another speed than whole: 2.5 of 10 ms, then half.
  const double left = kWhole - 0.25 * (10e-3 - kLatencies);
  EXPECT_NEAR(end(ring({"nic 3 in at 0s x0.25", "nic 3 in at 10ms x0.5"})), 10e-3 + left * 2,
              kWhole * 1e-6);
}

TEST(LinkEvent, SlowFromTheStartIsASlowNic) {
  Cluster slow = flat();
  slow.slow_nics = {{3, 0.5}};
  EXPECT_NEAR(end(ring({"nic 3 at 0s x0.5"})), coupled(ring({}), slow).end.count(), kWhole * 1e-6);
}

TEST(LinkEvent, BehindTheEndItChangesNothing) {
  EXPECT_NEAR(end(ring({"nic 3 at 1s fails"})), kLatencies + kWhole, kWhole * 1e-6);
}

TEST(LinkEvent, LessBandwidthIsNeverFaster) {
  double before = 0.0;
  for (const char* event :
       {"nic 1 at 5ms recovers", "nic 1 at 5ms x0.9", "nic 1 at 5ms x0.5", "nic 1 at 5ms x0.1"}) {
    const double found = end(ring({event, "nic 1 at 30ms recovers"}));
    EXPECT_GE(found, before) << event;
    before = found;
  }
  EXPECT_GT(before, kLatencies + kWhole + 10e-3);
}

TEST(LinkEvent, OutageThatEndsCostsItsLengthAndIsSaidToHaveStalled) {
  const Plan plan = ring({"nic 3 at 10ms fails", "nic 3 at 17ms recovers", "nic 5 at 12ms fails",
                          "nic 5 at 20ms recovers"});
  const Timeline timeline = coupled(plan);
  EXPECT_NEAR(timeline.end.count(), kLatencies + kWhole + 10e-3, kWhole * 1e-6);
  ASSERT_EQ(timeline.intervals.size(), 1u);
  EXPECT_NEAR(timeline.intervals[0].stalled.count(), 10e-3, 1e-9);  // 10 to 20 ms, once
  EXPECT_NEAR(network_use_of(timeline, 0).stalled.count(), 10e-3, 1e-9);
  EXPECT_EQ(coupled(ring({"nic 3 at 1ms x0.5"})).intervals[0].stalled.count(), 0.0);
}

TEST(LinkEvent, AnOutageBeforeTheBytesFlowCostsNothing) {
  const Timeline timeline = coupled(ring({"nic 3 at 10us fails", "nic 3 at 200us recovers"}));
  EXPECT_NEAR(timeline.end.count(), kLatencies + kWhole, kWhole * 1e-6);
  EXPECT_EQ(timeline.intervals[0].stalled.count(), 0.0);
}

TEST(LinkEvent, ALinkLostForGoodNamesLinkTimeCollectiveAndBytes) {
  for (const bool collapse : {true, false}) {
    const std::string message = test::thrown_by<IncompleteError>(
        [&] { coupled(ring({"nic 3 in at 11.48ms fails"}), flat(), collapse); });
    // 11.2 ms of transfer: a quarter of 56 MB.
    for (const char* part :
         {"the NIC of node 3, in", "11.48 ms", "A0", "all_reduce", "8 ranks", "14 MB of 56 MB"}) {
      EXPECT_NE(message.find(part), std::string::npos) << part << " in " << message;
    }
  }
}

TEST(LinkEvent, ACollectiveThatBeginsOnALostLinkHasDoneNothing) {
  const std::string message =
      test::thrown_by<IncompleteError>([&] { coupled(ring({"nic 3 at 0s fails"})); });
  EXPECT_NE(message.find("0 B of 56 MB"), std::string::npos) << message;
}

TEST(LinkEvent, ALostLinkThatNobodyNeedsIsNoMatter) {
  Cluster larger = test::flat_cluster(kNodes + 1, 10e9, kLatency);
  EXPECT_NEAR(end(ring({"nic 8 at 1ms fails"}, larger), larger), kLatencies + kWhole,
              kWhole * 1e-6);
}

TEST(LinkEvent, ATrunkIsNamedByItsEndsOrItsNumber) {
  Cluster racks = flat();
  racks.topology = gradwire::racks(kNodes, 4, 1.0);
  // 4 NICs' worth; a ring in order leaves the rack once, so 1/8 of the trunk is half a NIC.
  const LinkEnds ends = racks.topology->ends(0);
  const std::string link = "link " + ends.from + ">" + ends.to;
  const double halved = end(ring({link + " at 0s x0.125"}, racks), racks);
  EXPECT_NEAR(halved, kLatencies + 2 * kWhole, kWhole * 1e-6);
  EXPECT_NEAR(end(ring({"link 0 at 0s x0.125"}, racks), racks), halved, halved * 1e-9);
  EXPECT_NEAR(end(ring({"link " + ends.to + "<>" + ends.from + " at 0s x0.125"}, racks), racks),
              halved, halved * 1e-9);
  EXPECT_NEAR(end(ring({link + " at 0s x0.5"}, racks), racks), kLatencies + kWhole, kWhole * 1e-6);
}

TEST(LinkEvent, EnginesThatDoNotPlayThemRefuse) {
  const Plan plan = ring({"nic 3 at 1ms x0.5"});
  EXPECT_THROW(play_recurrence(plan, flat(), {}), InputError);
  EXPECT_THROW(quick_recurrence_end(plan, flat()), InputError);
  EXPECT_THROW(play_simgrid(plan, flat(), {}, {SimgridMode::kStep, false}), InputError);
}

}  // namespace
}  // namespace gradwire
