// Launches, iterations and the backward pass.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/traces/importers/kineto_text.hpp"
#include "traces/model/trace_checks.hpp"

namespace gradwire {
namespace {

using test::import_text;
using test::KinetoText;
using test::times;
using test::two_iterations;

TEST(KinetoLinking, AKernelBelongsToTheIterationOfItsLaunch) {
  KinetoText text;
  text.step(1, "1000", "100").step(2, "1130", "100");
  text.launched("late", "1150", "10", "1050", 1, 5);
  const Trace trace = import_text(text.object()).trace;
  EXPECT_EQ(trace.kernels[0].iteration, 0);
}

TEST(KinetoLinking, AKernelLaunchedBetweenIterationsBelongsToNone) {
  KinetoText text;
  text.step(1, "1000", "100").step(2, "1130", "100");
  text.launched("between", "1150", "10", "1120", 1, 5);
  const Imported imported = import_text(text.object());
  EXPECT_FALSE(imported.trace.kernels[0].iteration);
  EXPECT_EQ(times(imported.report, "kernel-outside-iterations"), 1u);
}

TEST(KinetoLinking, LeftOversWithoutALaunchAreKeptCountedAndInNoIteration) {
  KinetoText text = two_iterations();
  text.kernel("left_over", "1001", "5", 999);
  const Imported imported = import_text(text.object(), true);
  EXPECT_EQ(imported.report.kernels_in, 9u);
  EXPECT_EQ(imported.report.kernels_out, 9u);
  EXPECT_EQ(imported.report.kernels_linked, 8u);
  EXPECT_EQ(times(imported.report, "kernel-without-launch"), 1u);
  EXPECT_FALSE(imported.trace.kernels[0].launch);
  EXPECT_FALSE(imported.trace.kernels[0].iteration);
  EXPECT_EQ(imported.trace.kernels[0].correlation, 999);
}

TEST(KinetoLinking, KernelsOfACudaGraphShareOneLaunch) {
  KinetoText text;
  text.step(1, "1000", "100").call("cudaGraphLaunch", "1010", 1, 5);
  text.kernel("a", "1020", "1", 5).kernel("b", "1030", "1", 5).kernel("c", "1040", "1", 5);
  const Imported imported = import_text(text.object());
  EXPECT_EQ(imported.report.linked_by.at("cudaGraphLaunch"), 3u);
  for (const Kernel& kernel : imported.trace.kernels) EXPECT_EQ(kernel.iteration, 0);
}

TEST(KinetoLinking, ALaunchOfAnUnknownNameIsLinkedByCorrelation) {
  KinetoText text;
  text.call("cudaSomethingNewInVersion99", "10", 1, 5).kernel("k", "20", "1", 5);
  EXPECT_EQ(import_text(text.object()).report.kernels_linked, 1u);
}

TEST(KinetoLinking, ACorrelationOfTwoProcessesGoesToTheOneOfTheDevice) {
  KinetoText text;
  const auto kernel_of = [](int device, int correlation) {
    return R"({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 50, "dur": 1, "args": {"device": )" +
           std::to_string(device) +
           ", \"stream\": 7, \"correlation\": " + std::to_string(correlation) + "}}";
  };
  // Process 100 drives device 0 and process 200 device 1; both used correlation 5.
  text.call("cudaLaunchKernel", "10", 1, 1, 100).raw(kernel_of(0, 1));
  text.call("cudaLaunchKernel", "11", 2, 2, 200).raw(kernel_of(1, 2));
  text.call("cudaLaunchKernel", "20", 1, 5, 100).call("cudaLaunchKernel", "21", 2, 5, 200);
  text.raw(kernel_of(1, 5)).raw(kernel_of(0, 5));
  const Trace trace = import_text(text.object()).trace;
  ASSERT_EQ(trace.kernels.size(), 4u);
  EXPECT_EQ(trace.kernels[2].device, 1);
  EXPECT_EQ(trace.kernels[2].launch->thread, 2);
  EXPECT_EQ(trace.kernels[3].launch->thread, 1);
}

TEST(KinetoLinking, ACorrelationUsedAgainGoesToTheLastLaunchBeforeTheKernel) {
  KinetoText text;
  text.call("cudaLaunchKernel", "10", 1, 5).call("cudaLaunchKernel", "110", 1, 5);
  text.kernel("first", "20", "1", 5).kernel("second", "120", "1", 5);
  const Trace trace = import_text(text.object()).trace;
  EXPECT_EQ(trace.kernels[0].launch->start, Nanoseconds{0});
  EXPECT_EQ(trace.kernels[1].launch->start, Nanoseconds{100000});
}

TEST(KinetoLinking, CallsThatOwnNoWorkAreNoLaunches) {
  KinetoText text;
  text.call("INVALID", "10", 1, 5).call("cudaEventQuery", "11", 1, 5);
  text.call("cudaLaunchKernel", "12", 1, 5).kernel("k", "20", "1", 5);
  EXPECT_EQ(import_text(text.object()).report.linked_by.at("cudaLaunchKernel"), 1u);
}

TEST(KinetoLinking, EventsOutOfOrderAreSortedAndEqualStartsKeepTheOrderOfTheFile) {
  KinetoText text;
  text.kernel("third", "30", "0", 1).kernel("first", "10", "5", 2);
  text.kernel("second_a", "20", "0", 3).kernel("second_b", "20", "0", 4);
  const Trace trace = import_text(text.object()).trace;
  std::vector<std::string> names;
  for (const Kernel& kernel : trace.kernels) names.push_back(trace.names[kernel.name]);
  EXPECT_THAT(names, testing::ElementsAre("first", "second_a", "second_b", "third"));
}

TEST(KinetoLinking, ZeroDurationsAndOverlapsOnAStreamAreKeptAsRecorded) {
  KinetoText text;
  text.kernel("a", "10", "10", 1).kernel("b", "15", "10", 2).kernel("c", "16", "0", 3);
  const Imported imported = import_text(text.object(), true);
  EXPECT_EQ(imported.trace.kernels.size(), 3u);
  EXPECT_EQ(times(imported.report, "kernel-overlap"), 2u);
  EXPECT_TRUE(find_trace_defects(imported.trace).empty());
}

TEST(KinetoLinking, TheBackwardPassIsWhatEvaluateFunctionLaunches) {
  const Imported imported = import_text(two_iterations().object());
  std::vector<std::string> backward;
  for (const Kernel& kernel : imported.trace.kernels) {
    if (kernel.in_backward) backward.push_back(imported.trace.names[kernel.name]);
  }
  EXPECT_THAT(backward,
              testing::ElementsAre("backward_b", "backward_a", "backward_b", "backward_a"));
  // 1220 to 1530 us, of a zero at 1000 us.
  EXPECT_EQ(imported.trace.backwards.at(0),
            (BackwardMark{0, Nanoseconds{220000}, Nanoseconds{530000}}));
}

TEST(KinetoLinking, ALaunchOnAnotherThreadDuringTheBackwardPassIsNoneOfIt) {
  KinetoText text = two_iterations();
  text.launched("prefetch", "1600", "5", "1225", 1, 77);
  const Trace trace = import_text(text.object()).trace;
  for (const Kernel& kernel : trace.kernels) {
    EXPECT_FALSE(trace.names[kernel.name] == "prefetch" && kernel.in_backward);
  }
}

TEST(KinetoLinking, OldFilesHaveTheirBackwardPassOnTheThreadOfAccumulateGrad) {
  KinetoText text;
  text.step(1, "1000", "900").launched("forward", "1020", "10", "1010", 1, 1);
  text.launched("backward", "1120", "10", "1110", 2, 2);
  text.host("Operator", "torch::autograd::AccumulateGrad", "1130", "5", 2,
            "\"Input Dims\": [[10]]");
  const Imported imported = import_text(text.object());
  EXPECT_FALSE(imported.trace.kernels[0].in_backward);
  EXPECT_TRUE(imported.trace.kernels[1].in_backward);
  EXPECT_THAT(imported.report.backward_found_by, testing::HasSubstr("AccumulateGrad"));
}

TEST(KinetoLinking, CommunicationKernelsAreNeverOfTheBackwardPass) {
  KinetoText text = two_iterations();
  text.launched("ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)", "1400", "100", "1320", 2,
                70);
  const Trace trace = import_text(text.object()).trace;
  for (const Kernel& kernel : trace.kernels) {
    EXPECT_FALSE(kernel.category == KernelCategory::kCommunication && kernel.in_backward);
  }
}

TEST(KinetoLinking, NoBackwardPassIsAWarningAndNoError) {
  KinetoText text;
  text.step(1, "1000", "100").launched("forward", "1020", "10", "1010", 1, 1);
  const Imported imported = import_text(text.object(), true);
  EXPECT_EQ(times(imported.report, "no-backward"), 1u);
  EXPECT_TRUE(imported.trace.backwards.empty());
}

TEST(KinetoLinking, TheRepresentativeIterationHasTheLowerMedianBackwardSpan) {
  KinetoText text;
  const int spans[] = {50, 20, 90, 30};  // sorted 20 30 50 90: the lower median is 30, the last
  for (int i = 0; i < 4; ++i) {
    const int t = 1000 * (i + 1);
    text.step(i, std::to_string(t), "900");
    text.host("cpu_op", "autograd::engine::evaluate_function: X", std::to_string(t + 10), "20", 2);
    text.launched("k", std::to_string(t + 30), std::to_string(spans[i]), std::to_string(t + 15), 2,
                  i);
  }
  const Trace trace = import_text(text.object()).trace;
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(trace.iterations[i].representative, i == 3) << i;
}

TEST(KinetoLinking, AnIterationWithoutKernelsIsIncompleteAndNeverRepresentative) {
  KinetoText text = two_iterations();
  text.step(9, "9000", "1");
  const Imported imported = import_text(text.object());
  ASSERT_EQ(imported.trace.iterations.size(), 3u);
  EXPECT_FALSE(imported.trace.iterations[2].complete);
  EXPECT_EQ(times(imported.report, "iteration-incomplete"), 1u);
}

}  // namespace
}  // namespace gradwire
