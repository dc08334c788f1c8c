#include "simulator/workload/workload_times.hpp"

#include <gtest/gtest.h>

#include "tests/support/thrown.hpp"
#include "tests/support/workloads.hpp"

namespace gradwire {
namespace {

using std::chrono::nanoseconds;

/// Two gradients at 4 and 10 ms of 12. A gap of 1 ms in front of each; gemm 2 and 3 ms in front of
/// them, copy 1 and 2, and 2 ms of copy behind the last.
Workload two_classes() {
  Workload workload = test::workload_of({{4, 100}, {10, 100}}, 12);
  workload.backward_busy = Seconds{10e-3};
  workload.kernel_classes = {{"copy", Seconds{5e-3}, {Seconds{1e-3}, Seconds{3e-3}}},
                             {"gemm", Seconds{5e-3}, {Seconds{2e-3}, Seconds{5e-3}}}};
  workload.outside_backward = Seconds{1.0};
  return workload;
}

double ready_ms(const Workload& workload, std::size_t gradient) {
  return workload.gradients[gradient].ready.count() * 1e3;
}

TEST(WorkloadTimes, ScalingKernelsKeepsTheGapsBetweenThem) {
  Workload workload = two_classes();
  scale_kernels(workload, 0.5);
  EXPECT_NEAR(ready_ms(workload, 0), 1 + 1.5, 1e-9);  // a gap of 1, kernels of 3
  EXPECT_NEAR(ready_ms(workload, 1), 2 + 4, 1e-9);    // gaps of 2, kernels of 8
  EXPECT_NEAR(workload.backward_span.count() * 1e3, 2 + 5, 1e-9);
  EXPECT_NEAR(workload.backward_busy->count() * 1e3, 5, 1e-9);
  EXPECT_FALSE(workload.outside_backward);
}

TEST(WorkloadTimes, OneClassOfKernelsMovesWhatIsBehindIt) {
  Workload workload = two_classes();
  scale_kernels(workload, 2.0, "gemm");
  EXPECT_NEAR(ready_ms(workload, 0), 4 + 2, 1e-9);
  EXPECT_NEAR(ready_ms(workload, 1), 10 + 5, 1e-9);
  EXPECT_NEAR(workload.backward_span.count() * 1e3, 12 + 5, 1e-9);
  EXPECT_NEAR(workload.kernel_classes[1].total.count() * 1e3, 10, 1e-9);
  EXPECT_NEAR(workload.kernel_classes[0].total.count() * 1e3, 5, 1e-9);
}

TEST(WorkloadTimes, OneClassAfterTheOtherIsBothTogether) {
  Workload both = two_classes();
  scale_kernels(both, 0.25);
  Workload parts = two_classes();
  scale_kernels(parts, 0.25, "gemm");
  scale_kernels(parts, 0.25, "copy");
  EXPECT_NEAR(ready_ms(both, 0), ready_ms(parts, 0), 1e-12);
  EXPECT_NEAR(ready_ms(both, 1), ready_ms(parts, 1), 1e-12);
  EXPECT_NEAR(both.backward_span.count(), parts.backward_span.count(), 1e-15);
}

TEST(WorkloadTimes, ScalingAllTimesTakesTheGapsAlong) {
  Workload workload = two_classes();
  scale_times(workload, 0.5);
  EXPECT_NEAR(ready_ms(workload, 0), 2, 1e-9);
  EXPECT_NEAR(ready_ms(workload, 1), 5, 1e-9);
  EXPECT_NEAR(workload.kernel_classes[1].before[1].count() * 1e3, 2.5, 1e-9);
}

TEST(WorkloadTimes, TheHostLaunchesAsBeforeOrWhenTheDeviceWouldWait) {
  Workload workload = two_classes();
  workload.gradients[0].launched = Seconds{1e-3};
  workload.gradients[1].launched = Seconds{9e-3};
  scale_kernels(workload, 0.5);
  EXPECT_NEAR(workload.gradients[0].launched->count() * 1e3, 1, 1e-9);
  EXPECT_NEAR(workload.gradients[1].launched->count() * 1e3, 6, 1e-9);
}

TEST(WorkloadTimes, AClassThatIsNotThereIsRefusedWithThoseThatAre) {
  Workload workload = two_classes();
  EXPECT_EQ(test::input_error_of([&] { scale_kernels(workload, 2.0, "attention"); }),
            "hand-made: class of kernels \"attention\" found; its backward pass has copy, gemm");
  workload.kernel_classes.clear();
  EXPECT_NE(test::input_error_of([&] { scale_kernels(workload, 2.0); }).find("holds no kernels"),
            std::string::npos);
}

TEST(WorkloadTimes, AccumulationMovesGradientsIntoTheLastPass) {
  Workload workload = two_classes();
  workload.batch = 32;
  repeat_backward(workload, 3);
  EXPECT_NEAR(ready_ms(workload, 0), 24 + 4, 1e-9);
  EXPECT_NEAR(ready_ms(workload, 1), 24 + 10, 1e-9);
  EXPECT_NEAR(workload.backward_span.count() * 1e3, 36, 1e-9);
  EXPECT_EQ(workload.batch, 96);
  EXPECT_NEAR(workload.kernel_classes[1].before[0].count() * 1e3, 10 + 2, 1e-9);
  // Kernels twice as fast: 6 ms of gaps in three passes stay.
  scale_kernels(workload, 0.5);
  EXPECT_NEAR(workload.backward_span.count() * 1e3, 6 + 15, 1e-9);
}

TEST(KernelClassTimes, KernelsSideBySideCountForTheFirstAndSumToTheBusyTime) {
  // gemm 0-10, copy 5-12 beside it, copy 20-30: gemm 10, copy 2 + 10.
  const std::vector<KernelClassTime> times =
      kernel_class_times({{"copy", {nanoseconds{20}, nanoseconds{30}}},
                          {"gemm", {nanoseconds{0}, nanoseconds{10}}},
                          {"copy", {nanoseconds{5}, nanoseconds{12}}}},
                         {nanoseconds{6}, nanoseconds{25}});
  ASSERT_EQ(times.size(), 2U);
  EXPECT_EQ(times[0].name, "copy");
  EXPECT_EQ(times[0].total, nanoseconds{12});
  EXPECT_EQ(times[0].before[0], nanoseconds{0});
  EXPECT_EQ(times[0].before[1], nanoseconds{7});
  EXPECT_EQ(times[1].total, nanoseconds{10});
  EXPECT_EQ(times[1].before[0], nanoseconds{6});
}

}  // namespace
}  // namespace gradwire
