#include "simulator/workload/iteration_finder.hpp"

#include <gtest/gtest.h>

#include "tests/support/training_trace.hpp"

namespace gradwire {
namespace {

using test::add_iteration;
using test::training_trace;

TEST(RepresentativeIteration, IsTheOneWithTheMedianBackwardSpan) {
  // Spans 4000, 4200, 4100.
  EXPECT_EQ(find_representative_iteration(training_trace()), 2);
}

TEST(RepresentativeIteration, OfAnEvenCountIsTheLowerOfTheMiddleTwo) {
  Trace trace = training_trace();
  add_iteration(trace, 30'000, 4'300);  // 4000, 4100 | 4200, 4300
  EXPECT_EQ(find_representative_iteration(trace), 2);
}

TEST(RepresentativeIteration, AmongEqualSpansIsTheEarlier) {
  Trace trace;
  for (int i = 0; i < 4; ++i) add_iteration(trace, 10'000 * i, 4'000);
  EXPECT_EQ(find_representative_iteration(trace), 1);
}

TEST(RepresentativeIteration, IsTheMarkedOneWhateverItsSpan) {
  Trace trace = training_trace();
  trace.iterations[1].representative = true;
  EXPECT_EQ(find_representative_iteration(trace), 1);
}

TEST(RepresentativeIteration, IsNeverAnIncompleteOne) {
  Trace trace = training_trace();
  trace.iterations[2].complete = false;  // 4000 and 4200 are left
  EXPECT_EQ(find_representative_iteration(trace), 0);
}

TEST(RepresentativeIteration, IsAbsentWithoutACompleteIterationThatHasABackwardPass) {
  EXPECT_FALSE(find_representative_iteration(Trace{}).has_value());
  Trace without_backward = training_trace();
  without_backward.backwards.clear();
  EXPECT_FALSE(find_representative_iteration(without_backward).has_value());
  Trace incomplete = training_trace();
  for (IterationMark& mark : incomplete.iterations) mark.complete = false;
  EXPECT_FALSE(find_representative_iteration(incomplete).has_value());
}

TEST(IterationPeriod, IsTheMedianDistanceOfBackwardStarts) {
  Trace trace;
  for (const std::int64_t start : {0, 10'000, 21'000, 33'000}) add_iteration(trace, start, 4'000);
  // Distances 10, 11 and 12 us.
  EXPECT_EQ(find_iteration_period(trace), Seconds{Nanoseconds{11'000}});
}

TEST(IterationPeriod, OfTwoDistancesIsTheLower) {
  Trace trace;
  for (const std::int64_t start : {0, 12'000, 22'000}) add_iteration(trace, start, 4'000);
  EXPECT_EQ(find_iteration_period(trace), Seconds{Nanoseconds{10'000}});
}

TEST(IterationPeriod, SkipsIterationsThatAreCutOrNotInARow) {
  Trace trace;
  for (const std::int64_t start : {0, 50'000, 61'000, 99'000}) add_iteration(trace, start, 4'000);
  trace.iterations[0].complete = false;
  trace.iterations[3].number = 17;  // the profiler's next window
  EXPECT_EQ(find_iteration_period(trace), Seconds{Nanoseconds{11'000}});
}

TEST(IterationPeriod, OfInferredIterationsNeedsNoNumbers) {
  Trace trace;
  for (const std::int64_t start : {0, 11'000}) add_iteration(trace, start, 4'000);
  for (IterationMark& mark : trace.iterations) {
    mark.inferred = true;
    mark.number = 0;
  }
  EXPECT_EQ(find_iteration_period(trace), Seconds{Nanoseconds{11'000}});
}

TEST(IterationPeriod, OfOneMarkedIterationIsItsLength) {
  Trace trace;
  add_iteration(trace, 0, 4'000);
  EXPECT_EQ(find_iteration_period(trace), Seconds{Nanoseconds{10'000}});
}

TEST(IterationPeriod, OfOneInferredIterationIsAbsent) {
  Trace trace;
  add_iteration(trace, 0, 4'000);
  trace.iterations[0].inferred = true;
  EXPECT_FALSE(find_iteration_period(trace).has_value());
  EXPECT_FALSE(find_iteration_period(Trace{}).has_value());
}

}  // namespace
}  // namespace gradwire
