#include "simulator/questions/measured_iteration.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "simulator/workload/iteration_finder.hpp"
#include "tests/support/training_trace.hpp"
#include "traces/importers/registry.hpp"

namespace gradwire {
namespace {

/// `trace` with an all-reduce of 264 floats on its last iteration, from 4 to 5 us of its backward
/// pass, and one of another kind before that pass.
Trace with_communication(Trace trace) {
  const BackwardMark& backward = trace.backwards.back();
  for (const std::int64_t start : {std::int64_t{-2000}, std::int64_t{4000}}) {
    Kernel kernel;
    kernel.category = KernelCategory::kCommunication;
    kernel.stream = StreamId{99};
    kernel.start = backward.start + Nanoseconds{start};
    kernel.duration = Nanoseconds{1000};
    kernel.iteration = backward.iteration;
    Communication item;
    item.collective = start < 0 ? CollectiveKind::kBroadcast : CollectiveKind::kAllReduce;
    item.in_elements = Elements{264};
    item.dtype = DType::kFloat32;
    item.kernel = trace.kernels.size();
    item.iteration = backward.iteration;
    trace.kernels.push_back(kernel);
    trace.communications.push_back(item);
  }
  return trace;
}

std::vector<Interval> of(const MeasuredIteration& measured, Activity activity) {
  std::vector<Interval> found;
  for (const Interval& interval : measured.timeline.intervals) {
    if (interval.activity == activity) found.push_back(interval);
  }
  return found;
}

TEST(MeasuredIteration, IsAbsentWhereTheTraceHoldsNoCommunication) {
  EXPECT_FALSE(measured_iteration(test::training_trace(), "t", std::nullopt));
}

TEST(MeasuredIteration, IsAbsentWhereTheChosenIterationHoldsNone) {
  EXPECT_FALSE(measured_iteration(with_communication(test::training_trace()), "t", 0));
}

TEST(MeasuredIteration, HoldsTheKernelsOfTheBackwardPassFromItsStart) {
  const auto measured =
      measured_iteration(with_communication(test::training_trace()), "t", std::nullopt);
  ASSERT_TRUE(measured);
  const std::vector<Interval> kernels = of(*measured, Activity::kCompute);
  ASSERT_EQ(kernels.size(), 4U);  // as add_iteration says; the forward kernel is none of them
  EXPECT_EQ(kernels[0].start, Seconds{0});
  EXPECT_NEAR(kernels[0].end.count(), 1000e-9, 1e-15);
  EXPECT_FALSE(kernels[0].side_stream);
  EXPECT_TRUE(kernels[2].side_stream);
  EXPECT_NEAR(kernels[3].end.count(), 4100e-9, 1e-15);  // the span of the third iteration
}

TEST(MeasuredIteration, HoldsCommunicationFromTheBackwardPassOn) {
  const auto measured =
      measured_iteration(with_communication(test::training_trace()), "t", std::nullopt);
  ASSERT_TRUE(measured);
  const std::vector<Interval> collectives = of(*measured, Activity::kCommunication);
  ASSERT_EQ(collectives.size(), 1U);  // the broadcast is in front of the pass
  EXPECT_EQ(collectives[0].label, "all_reduce");
  EXPECT_EQ(collectives[0].payload, Bytes{1056});
  EXPECT_EQ(collectives[0].sent, Bytes{0});  // not known
  EXPECT_NEAR(collectives[0].start.count(), 4000e-9, 1e-15);
  EXPECT_EQ(measured->timeline.end, collectives[0].end);
}

TEST(MeasuredIteration, MarksGradientsInsideTheBackwardPass) {
  const auto measured =
      measured_iteration(with_communication(test::training_trace()), "t", std::nullopt);
  ASSERT_TRUE(measured);
  ASSERT_EQ(measured->gradients.size(), 3U);
  EXPECT_EQ(measured->gradients[0].parameter, "fc.weight");
  EXPECT_NEAR(measured->gradients[0].time.count(), 1000e-9, 1e-15);
  EXPECT_EQ(measured->gradients[0].bytes, Bytes{160});
  EXPECT_NEAR(measured->gradients[2].time.count(), 4100e-9, 1e-15);
}

/// The shipped traces with communication: every all-reduce of the iteration is there, in order.
TEST(MeasuredIteration, HoldsEveryAllReduceOfRealTraces) {
  for (const char* name : {"resnet50-ddp2-a100.gwt", "resnet18-ddp8-mi300x.gwt"}) {
    const auto path =
        std::filesystem::path(GRADWIRE_SOURCE_DIR) / "examples/validation/traces" / name;
    const Trace trace = import_trace(path, {}).trace;
    const auto index = find_representative_iteration(trace);
    std::vector<Bytes> recorded;
    for (const Communication& item : trace.communications) {
      if (item.collective != CollectiveKind::kAllReduce || item.iteration != index) continue;
      recorded.push_back(*item.in_elements * *element_size(item.dtype));
    }
    ASSERT_FALSE(recorded.empty());
    const auto measured = measured_iteration(trace, name, std::nullopt);
    ASSERT_TRUE(measured);
    std::vector<Bytes> shown;
    for (const Interval& interval : of(*measured, Activity::kCommunication)) {
      if (interval.label == "all_reduce") shown.push_back(interval.payload);
    }
    EXPECT_EQ(shown, recorded) << name;
  }
}

}  // namespace
}  // namespace gradwire
