#include "simulator/workload/gradient_schedule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/training_trace.hpp"

namespace gradwire {
namespace {

using test::training_trace;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Workload workload_of(const Trace& trace, Replay replay = Replay::kRecorded) {
  return make_workload(trace, "job", {replay, {}});
}

Workload workload_of_iteration(const Trace& trace, std::int32_t iteration) {
  return make_workload(trace, "job", {Replay::kRecorded, iteration});
}

std::vector<std::int64_t> ready_ns(const Workload& workload) {
  std::vector<std::int64_t> times;
  for (const ReadyGradient& gradient : workload.gradients) {
    times.push_back(to_nanoseconds(gradient.ready).count());
  }
  return times;
}

TEST(Workload, IsThatOfTheRepresentativeIteration) {
  // Iteration 2: a span of 4100, busy 1000 + 1300 + 1400; iterations follow each other by 10 us.
  const Workload workload = workload_of(training_trace());
  EXPECT_EQ(workload.name, "job");
  EXPECT_EQ(workload.device_name, "Tesla V100");
  EXPECT_EQ(to_nanoseconds(workload.backward_span), Nanoseconds{4'100});
  EXPECT_EQ(to_nanoseconds(workload.backward_busy.value()), Nanoseconds{3'700});
  ASSERT_TRUE(workload.outside_backward.has_value());
  EXPECT_EQ(to_nanoseconds(*workload.outside_backward), Nanoseconds{5'900});
  EXPECT_THAT(workload.warnings, IsEmpty());
}

TEST(Workload, CountsReadyTimesFromTheStartOfTheBackwardPass) {
  EXPECT_THAT(ready_ns(workload_of(training_trace())), ElementsAre(1'000, 2'500, 4'100));
}

TEST(Workload, KeepsNamesShapesAndSizes) {
  const Workload workload = workload_of(training_trace());
  ASSERT_EQ(workload.gradients.size(), 3U);
  EXPECT_EQ(workload.gradients[1].parameter, "conv.weight");
  EXPECT_THAT(workload.gradients[1].shape, ElementsAre(8, 3, 3, 3));
  EXPECT_EQ(workload.gradients[1].elements, Elements{216});
  EXPECT_EQ(workload.gradients[1].dtype, DType::kFloat32);
  EXPECT_EQ(workload.total_elements(), Elements{264});  // 40 + 216 + 8
  EXPECT_EQ(workload.total_bytes(), Bytes{1'056});
}

TEST(Workload, IsThatOfTheIterationAskedFor) {
  const Workload workload = workload_of_iteration(training_trace(), 1);
  EXPECT_EQ(to_nanoseconds(workload.backward_span), Nanoseconds{4'200});
  EXPECT_THAT(ready_ns(workload), ElementsAre(1'000, 2'500, 4'200));
}

TEST(Workload, CompactedTakesOutTheGapsAndOnlyThem) {
  // Gaps of 200 before 1200 and before 2700: 1000 stays, 2500 becomes 2300, 4100 becomes 3700.
  const Workload workload = workload_of(training_trace(), Replay::kCompacted);
  EXPECT_EQ(workload.replay, Replay::kCompacted);
  EXPECT_EQ(to_nanoseconds(workload.backward_span), Nanoseconds{3'700});
  EXPECT_EQ(workload.backward_span, workload.backward_busy);
  EXPECT_THAT(ready_ns(workload), ElementsAre(1'000, 2'300, 3'700));
  EXPECT_EQ(to_nanoseconds(workload.outside_backward.value()), Nanoseconds{5'900});
}

TEST(Workload, CompactedPutsATimeInAGapToTheEndOfTheWorkBefore) {
  Trace trace = training_trace();
  trace.gradients[6].ready += Nanoseconds{150};  // 1150, in the gap from 1000 to 1200
  EXPECT_EQ(ready_ns(workload_of(trace, Replay::kCompacted))[0], 1'000);
}

TEST(Workload, KeepsTheOrderInWhichAutogradHandsGradientsOver) {
  Trace trace = training_trace();
  trace.gradients[6].ready += Nanoseconds{2'000};  // another stream ends later
  const Workload workload = workload_of(trace);
  EXPECT_THAT(ready_ns(workload), ElementsAre(3'000, 2'500, 4'100));
  EXPECT_EQ(workload.gradients[0].parameter, "fc.weight");
}

TEST(Workload, TakesElementsFromTheShapeWhereTheCountIsAbsent) {
  Trace trace = training_trace();
  trace.gradients[7].elements.reset();
  EXPECT_EQ(workload_of(trace).gradients[1].elements, Elements{216});
}

TEST(Workload, WithoutAKnownPeriodHasNoOutside) {
  Trace trace;
  test::add_iteration(trace, 0, 4'000);
  trace.iterations[0].inferred = true;
  EXPECT_FALSE(workload_of(trace).outside_backward.has_value());
}

TEST(Workload, WhosePeriodIsShorterThanItsSpanHasNoOutside) {
  // Launches run ahead of the device: the profiler's mark is shorter than the work it launched.
  Trace trace;
  test::add_iteration(trace, 0, 4'000);
  trace.iterations[0].end = Nanoseconds{3'500};
  EXPECT_FALSE(workload_of(trace).outside_backward.has_value());
}

TEST(Workload, OfAnUnknownDeviceHasNoDeviceName) {
  Trace trace = training_trace();
  trace.devices.clear();
  EXPECT_EQ(workload_of(trace).device_name, "");
}

TEST(Workload, OfAListWithoutKernelsHasItsSpanAndNoBusyTime) {
  Trace trace = training_trace();
  trace.kernels.clear();
  const Workload workload = workload_of(trace);
  EXPECT_FALSE(workload.backward_busy.has_value());
  EXPECT_EQ(to_nanoseconds(workload.backward_span), Nanoseconds{4'100});
  EXPECT_THAT(ready_ns(workload), ElementsAre(1'000, 2'500, 4'100));
}

// ---- warnings

TEST(WorkloadWarnings, AListWithoutKernelsSaysWhatItCannotTell) {
  Trace trace = training_trace();
  trace.kernels.clear();
  for (IterationMark& mark : trace.iterations) mark.inferred = true;
  EXPECT_THAT(workload_of(trace).warnings,
              ElementsAre(HasSubstr("no kernels"), HasSubstr("batch size")));
  trace.batch_size = 32;
  EXPECT_THAT(workload_of(trace).warnings, ElementsAre(HasSubstr("no kernels")));
  trace.gradients[6].ready = trace.backwards[2].start;
  EXPECT_THAT(workload_of(trace).warnings,
              ElementsAre(HasSubstr("no kernels"), HasSubstr("the times count from it")));
}

TEST(WorkloadWarnings, ALaunchBoundPassPointsToCompactedReplay) {
  Trace trace = training_trace();
  // A fourth kernel of 400 instead of 1400 ns: busy 2700 of 4100 is a ratio of 1.5.
  trace.kernels[14].start += Nanoseconds{1'000};
  trace.kernels[14].duration = Nanoseconds{400};
  EXPECT_THAT(workload_of(trace).warnings, Contains(HasSubstr("consider --replay compacted")));
  const Workload compacted = workload_of(trace, Replay::kCompacted);
  EXPECT_THAT(compacted.warnings, Contains(HasSubstr("gaps were taken out")));
  EXPECT_THAT(compacted.warnings, Not(Contains(HasSubstr("consider"))));
}

TEST(WorkloadWarnings, CommunicationDuringTheRecordedPassIsSaid) {
  Trace trace = training_trace();
  trace.kernels[13].category = KernelCategory::kCommunication;
  trace.kernels[13].in_backward = false;
  EXPECT_THAT(
      workload_of(trace).warnings,
      Contains(HasSubstr("communication ran during the recorded backward pass (kernels: 1)")));
}

TEST(WorkloadWarnings, CommunicationOutsideTheRecordedPassIsNoConcern) {
  Trace trace = training_trace();
  trace.kernels[10].category = KernelCategory::kCommunication;  // the forward kernel
  EXPECT_THAT(workload_of(trace).warnings, IsEmpty());
}

TEST(WorkloadWarnings, InferredIterationsAreSaid) {
  Trace trace = training_trace();
  for (IterationMark& mark : trace.iterations) mark.inferred = true;
  EXPECT_THAT(workload_of(trace).warnings, ElementsAre(HasSubstr("inferred from the period")));
}

TEST(WorkloadWarnings, OneCompleteIterationTellsNothingOfJitter) {
  Trace trace = training_trace();
  trace.iterations[0].complete = false;
  trace.iterations[1].complete = false;
  EXPECT_THAT(workload_of(trace).warnings, ElementsAre(HasSubstr("only one complete iteration")));
}

TEST(WorkloadWarnings, ParametersWithoutNamesAreCounted) {
  Trace trace = training_trace();
  trace.gradients[7].parameter.clear();
  EXPECT_THAT(workload_of(trace).warnings,
              ElementsAre(HasSubstr("1 of 3 parameters have no name")));
}

TEST(WorkloadWarnings, TheFirstIterationOfACaptureMayBeWarmUp) {
  EXPECT_THAT(workload_of_iteration(training_trace(), 0).warnings,
              ElementsAre(HasSubstr("first of the capture")));
}

TEST(WorkloadWarnings, AnIterationCutByTheCaptureIsSaid) {
  Trace trace = training_trace();
  trace.iterations[1].complete = false;
  EXPECT_THAT(workload_of_iteration(trace, 1).warnings,
              ElementsAre(HasSubstr("iteration 1 is cut")));
}

TEST(WorkloadWarnings, GradientsReadyOutsideThePassAreMovedToItsEndsAndCounted) {
  Trace trace = training_trace();
  trace.gradients[6].ready = Nanoseconds{0};
  trace.gradients[8].ready += Nanoseconds{77};
  const Workload workload = workload_of(trace);
  EXPECT_THAT(ready_ns(workload), ElementsAre(0, 2'500, 4'100));
  EXPECT_THAT(workload.warnings, ElementsAre(HasSubstr("2 of 3 gradients")));
}

TEST(WorkloadWarnings, AreOneSentenceEach) {
  Trace trace = training_trace();
  for (IterationMark& mark : trace.iterations) mark.inferred = true;
  for (Gradient& gradient : trace.gradients) gradient.parameter.clear();
  for (const std::string& text : workload_of_iteration(trace, 0).warnings) {
    EXPECT_EQ(text.find('\n'), std::string::npos);
    EXPECT_EQ(text.find(". "), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace gradwire
