#include "simulator/workload/trace_summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/thrown.hpp"
#include "tests/support/training_trace.hpp"

namespace gradwire {
namespace {

using testing::Contains;
using testing::HasSubstr;

TraceSummary summarise(const Trace& trace) { return summarise_trace({trace, {}}, "t.gwt", {}); }

/// training_trace() with one copy in the first iteration and one kernel outside all of them.
Trace trace_with_strays() {
  Trace trace = test::training_trace();
  Kernel copy = trace.kernels.front();
  copy.category = KernelCategory::kMemcpy;
  copy.duration = Nanoseconds{7};
  Kernel outside = trace.kernels.front();
  outside.iteration.reset();
  outside.launch.reset();
  trace.kernels.push_back(copy);
  trace.kernels.push_back(outside);
  return trace;
}

TEST(TraceSummary, CountsEachIterationsKernelsAndBackwardTimes) {
  const TraceSummary summary = summarise(test::training_trace());
  ASSERT_EQ(summary.iterations.size(), 3u);
  const IterationSummary& first = summary.iterations[0];
  EXPECT_EQ(first.kernels, 5u);
  EXPECT_EQ(first.backward_kernels, 4u);
  EXPECT_EQ(first.backward_passes, 1u);
  // 0 to 1000, 1200 to 2500 (two that overlap), 2700 to 4000.
  EXPECT_NEAR(first.backward_kernel_busy.value().count(), 3600e-9, 1e-15);
  EXPECT_NEAR(first.backward_span.count(), 4000e-9, 1e-15);
  EXPECT_EQ(summary.representative, 2u);
  EXPECT_TRUE(summary.iterations[2].representative);
}

TEST(TraceSummary, TakesMediansOverCompleteIterations) {
  Trace trace = test::training_trace();
  EXPECT_NEAR(summarise(trace).median->backward_span.count(), 4100e-9, 1e-15);
  trace.iterations[0].complete = false;
  const TraceSummary summary = summarise(trace);
  EXPECT_EQ(summary.median->iterations, 2u);
  EXPECT_NEAR(summary.median->backward_span.count(), 4150e-9, 1e-15);  // of 4100 and 4200
}

TEST(TraceSummary, KeepsCopiesAndStraysApart) {
  const TraceSummary summary = summarise(trace_with_strays());
  EXPECT_EQ(summary.kernels, 17u);
  EXPECT_EQ(summary.iterations[0].kernels, 5u);
  EXPECT_EQ(summary.iterations[0].copies, 1u);
  EXPECT_EQ(summary.kernels_outside_iterations, 1u);
  const KernelClassSummary& copies = summary.kernel_classes.at(2);
  EXPECT_EQ(copies.category, KernelCategory::kMemcpy);
  EXPECT_EQ(copies.kernels, 1u);
  EXPECT_NEAR(copies.time.count(), 7e-9, 1e-18);
  EXPECT_EQ(copies.kernels_per_iteration, 0.0);  // the median of 1, 0 and 0
}

TEST(TraceSummary, GivesParametersAndBuckets) {
  const TraceSummary summary = summarise(test::training_trace());
  ASSERT_TRUE(summary.parameters);
  EXPECT_EQ(summary.parameters->parameters, 3u);
  EXPECT_EQ(summary.parameters->named, 3u);
  EXPECT_EQ(summary.parameters->elements, Elements{40 + 216 + 8});
  EXPECT_EQ(summary.parameters->bytes, Bytes{4 * 264});
  ASSERT_TRUE(summary.workload);
  ASSERT_EQ(summary.buckets.size(), 1u);
  EXPECT_EQ(summary.buckets[0].elements, Elements{264});
}

TEST(TraceSummary, SaysWhyThereIsNoWorkload) {
  Trace trace = test::training_trace();
  for (Gradient& gradient : trace.gradients) {
    gradient.shape.clear();
    gradient.elements.reset();
  }
  const TraceSummary summary = summarise(trace);
  EXPECT_FALSE(summary.workload);
  EXPECT_TRUE(summary.buckets.empty());
  EXPECT_EQ(summary.parameters->sized, 0u);
  EXPECT_FALSE(summary.parameters->elements);
  EXPECT_THAT(summary.missing, Contains(HasSubstr("3 of 3 gradients have no size")));
}

TEST(TraceSummary, OfAnEmptyTraceHasNothingButWhatIsMissing) {
  const TraceSummary summary = summarise(Trace{});
  EXPECT_TRUE(summary.iterations.empty());
  EXPECT_FALSE(summary.median);
  EXPECT_FALSE(summary.parameters);
  EXPECT_FALSE(summary.kernel_classes.at(0).kernels_per_iteration);
  EXPECT_THAT(summary.missing, Contains(HasSubstr("iterations")));
}

TEST(TraceSummary, SizesThatDoNotFitAreNotKnown) {
  Trace trace = test::training_trace();
  for (Gradient& gradient : trace.gradients) {
    gradient.shape.clear();
    gradient.elements = Elements{std::numeric_limits<std::int64_t>::max() / 2};
  }
  const TraceSummary summary = summarise(trace);
  EXPECT_FALSE(summary.parameters->elements);
  EXPECT_FALSE(summary.parameters->bytes);
}

TEST(TraceSummary, GroupsCommunicationsAndListsTheRepresentativeOnes) {
  Trace trace = test::training_trace();
  for (const int iteration : {0, 2}) {
    for (const std::int64_t elements : {216, 48}) {
      Communication item;
      item.collective = CollectiveKind::kAllReduce;
      item.dtype = DType::kFloat32;
      item.group_size = 2;
      item.in_elements = Elements{elements};
      item.iteration = iteration;
      trace.communications.push_back(item);
    }
  }
  const TraceSummary summary = summarise(trace);
  ASSERT_EQ(summary.communications.size(), 1u);
  EXPECT_EQ(summary.communications[0].count, 4u);
  EXPECT_THAT(summary.communications[0].sizes, testing::ElementsAre(Elements{216}, Elements{48}));
}

TEST(TraceSummary, CapsOfNothingAreRefused) {
  BucketCaps caps;
  caps.rest = Bytes{0};
  EXPECT_THAT(test::input_error_of([&] { summarise_trace({}, "t", caps); }), HasSubstr("0 bytes"));
}

TEST(TraceSummary, OfAListWithoutKernelsLeavesBusyTimesAbsent) {
  Trace trace = test::training_trace();
  trace.kernels.clear();
  trace.batch_size = 12;
  const TraceSummary summary = summarise(trace);
  EXPECT_EQ(summary.batch_size, 12);
  EXPECT_FALSE(summary.iterations.at(0).backward_kernel_busy);
  EXPECT_FALSE(summary.iterations.at(0).backward_busy);
  ASSERT_TRUE(summary.median);
  EXPECT_FALSE(summary.median->backward_kernel_busy);
  EXPECT_FALSE(summary.median->backward_busy);
  EXPECT_NEAR(summary.median->backward_span.count(), 4100e-9, 1e-15);
  EXPECT_TRUE(summary.workload);
  EXPECT_THAT(summary.missing, Contains(HasSubstr("kernels")));
}

}  // namespace
}  // namespace gradwire
