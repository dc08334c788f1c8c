#include "simulator/workload/busy_time.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/training_trace.hpp"

namespace gradwire {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Stretch = BusyTime::Stretch;

Stretch stretch(std::int64_t start, std::int64_t end) {
  return {Nanoseconds{start}, Nanoseconds{end}};
}

std::int64_t before(const BusyTime& busy, std::int64_t time) {
  return busy.before(Nanoseconds{time}).count();
}

TEST(BusyTime, OfNothingIsZero) {
  const BusyTime busy({});
  EXPECT_EQ(busy.total(), Nanoseconds{0});
  EXPECT_EQ(before(busy, 100), 0);
  EXPECT_THAT(busy.stretches(), IsEmpty());
}

TEST(BusyTime, CountsOverlapOnceAndJoinsWhatTouches) {
  const BusyTime busy({stretch(30, 40), stretch(0, 10), stretch(5, 12), stretch(12, 20)});
  EXPECT_THAT(busy.stretches(), ElementsAre(stretch(0, 20), stretch(30, 40)));
  EXPECT_EQ(busy.total(), Nanoseconds{30});
}

TEST(BusyTime, AStretchInsideAnotherAddsNothing) {
  const BusyTime busy({stretch(0, 100), stretch(10, 20), stretch(90, 95)});
  EXPECT_THAT(busy.stretches(), ElementsAre(stretch(0, 100)));
}

TEST(BusyTime, EmptyAndBackwardStretchesAreNoWork) {
  EXPECT_EQ(BusyTime({stretch(5, 5), stretch(9, 3)}).total(), Nanoseconds{0});
}

// Busy 10 to 20 and 30 to 50.
TEST(BusyTime, BeforeATimeGrowsInsideStretchesAndRestsInGaps) {
  const BusyTime busy({stretch(10, 20), stretch(30, 50)});
  EXPECT_EQ(before(busy, -5), 0);
  EXPECT_EQ(before(busy, 10), 0);
  EXPECT_EQ(before(busy, 14), 4);
  EXPECT_EQ(before(busy, 20), 10);
  EXPECT_EQ(before(busy, 25), 10);
  EXPECT_EQ(before(busy, 30), 10);
  EXPECT_EQ(before(busy, 49), 29);
  EXPECT_EQ(before(busy, 50), 30);
  EXPECT_EQ(before(busy, 1'000), 30);
}

// 0 to 1000, then 1200 to 2500 from two streams, then 2700 to 4000: 1000 + 1300 + 1300.
TEST(BackwardBusyTime, JoinsTheStreamsOfOneIterationsPass) {
  const Trace trace = test::training_trace();
  const BusyTime busy = find_backward_busy_time(trace, trace.backwards[0], 0);
  EXPECT_THAT(busy.stretches(),
              ElementsAre(stretch(3'000, 4'000), stretch(4'200, 5'500), stretch(5'700, 7'000)));
  EXPECT_EQ(busy.total(), Nanoseconds{3'600});
}

TEST(BackwardBusyTime, LeavesOutOtherDevicesAndWhatIsNoBackwardWork) {
  Trace trace = test::training_trace();
  for (Kernel& kernel : trace.kernels) kernel.device = 1;
  EXPECT_EQ(find_backward_busy_time(trace, trace.backwards[0], 0).total(), Nanoseconds{0});
  for (Kernel& kernel : trace.kernels) kernel.in_backward = false;
  EXPECT_EQ(find_backward_busy_time(trace, trace.backwards[0], 1).total(), Nanoseconds{0});
}

TEST(BackwardBusyTime, NeverExceedsTheMark) {
  Trace trace = test::training_trace();
  trace.kernels[4].duration = Nanoseconds{50'000};
  const BackwardMark& mark = trace.backwards[0];
  EXPECT_LE(find_backward_busy_time(trace, mark, 0).total(), mark.end - mark.start);
}

}  // namespace
}  // namespace gradwire
