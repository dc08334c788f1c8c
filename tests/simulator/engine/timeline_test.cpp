// What every engine's timeline says of a collective beside its times.

#include <gtest/gtest.h>

#include "simulator/engine/simgrid/timeline_bytes.hpp"
#include "tests/support/clusters.hpp"
#include "tests/support/engines.hpp"
#include "tests/support/plans.hpp"

namespace gradwire {
namespace {

class EngineTimeline : public testing::TestWithParam<test::NamedEngine> {};

TEST_P(EngineTimeline, SaysWhatARankHoldsAndWhatItSends) {
  // Ring over 4 ranks, 1000 floats in chunks of 250: each rank sends 2 * 3 chunks = 6000 bytes.
  // Along a chain every rank but the last sends the whole vector.
  const Plan plan = test::collectives_in_a_row(
      {make_schedule({CollectiveKind::kAllReduce, Elements{1000}, Bytes{4}}, 4),
       make_schedule({CollectiveKind::kBroadcast, Elements{1000}, Bytes{4}}, 4)});
  const Timeline timeline = GetParam().play(plan, test::flat_cluster(4, 10e9, 10e-6), {{0, 3}});
  ASSERT_GE(timeline.intervals.size(), 4U);  // the rank that ends last too
  for (const Interval& interval : timeline.intervals) {
    EXPECT_EQ(interval.payload, Bytes{4000});
    const Bytes broadcast{interval.rank == 3 ? 0 : 4000};
    EXPECT_EQ(interval.sent, interval.op == 0 ? Bytes{6000} : broadcast) << interval.rank;
  }
}

TEST_P(EngineTimeline, SaysNothingOfBytesWhereNothingIsSent) {
  const Timeline timeline = GetParam().play(test::training_plan(2, {{1e-3, 100}}),
                                            test::flat_cluster(2, 10e9, 10e-6), {{0}});
  ASSERT_EQ(timeline.intervals[0].activity, Activity::kCompute);
  EXPECT_EQ(timeline.intervals[0].payload, Bytes{0});
  EXPECT_EQ(timeline.intervals[0].sent, Bytes{0});
}

TEST(TimelineBytes, GoThroughAPipeWhole) {
  Timeline timeline;
  timeline.intervals.push_back({1, 2, Activity::kCommunication, "A0"});
  timeline.intervals[0].payload = Bytes{100};
  timeline.intervals[0].sent = Bytes{150};
  const Timeline back = timeline_from_bytes(to_bytes(timeline));
  ASSERT_EQ(back.intervals.size(), 1U);
  EXPECT_EQ(back.intervals[0].label, "A0");
  EXPECT_EQ(back.intervals[0].payload, Bytes{100});
  EXPECT_EQ(back.intervals[0].sent, Bytes{150});
}

INSTANTIATE_TEST_SUITE_P(EveryEngine, EngineTimeline, testing::ValuesIn(test::every_engine()),
                         test::engine_name);

}  // namespace
}  // namespace gradwire
