// NVTX ranges in a capture: NCCL's calls, and PyTorch's emit_nvtx.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/traces/importers/capture/capture_file.hpp"

namespace gradwire {
namespace {

using test::CaptureFile;
using test::import_capture;
using test::training_capture;
using testing::HasSubstr;

constexpr std::uint64_t kNccl = 5;
constexpr const char* kAllReduce = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)";

TEST(NcclCalls, AKernelTakesTheBytesOfTheCallThatLaunchedIt) {
  CaptureFile file = training_capture(2);
  file.domain(kNccl, "NCCL").push("ncclAllReduce", 240, 2, kNccl).nccl_payload(5, 4000);
  file.launched(kAllReduce, 250, 60, 2).pop(249, 2, kNccl);
  const Imported imported = import_capture(file.bytes());
  ASSERT_EQ(imported.trace.communications.size(), 1u);
  const Communication& communication = imported.trace.communications[0];
  EXPECT_EQ(communication.collective, CollectiveKind::kAllReduce);
  EXPECT_EQ(communication.in_elements, Elements{1000});  // 4000 bytes of float32
  EXPECT_EQ(communication.dtype, DType::kFloat32);
  EXPECT_EQ(communication.group_size, std::nullopt);
  EXPECT_EQ(communication.iteration, 0);
  EXPECT_EQ(test::defects_of(imported.report, "communication-without-size"), 0u);
}

TEST(NcclCalls, TheDomainMayBeNamedBehindItsUse) {
  CaptureFile file = training_capture(1);
  file.push("ncclAllReduce", 240, 2, kNccl).nccl_payload(5, 400).launched(kAllReduce, 250, 60, 2);
  file.pop(249, 2, kNccl).end_chunk().domain(kNccl, "NCCL");
  EXPECT_EQ(import_capture(file.bytes()).trace.communications.at(0).in_elements, Elements{100});
}

TEST(NcclCalls, RangesOfAnotherDomainSayNothingOfACollective) {
  CaptureFile file = training_capture(1);
  file.domain(kNccl, "mine").push("ncclAllReduce", 240, 2, kNccl).nccl_payload(5, 400);
  file.launched(kAllReduce, 250, 60, 2).pop(249, 2, kNccl);
  const Imported imported = import_capture(file.bytes());
  EXPECT_EQ(imported.trace.communications.at(0).in_elements, std::nullopt);
  EXPECT_EQ(imported.trace.communications.at(0).collective, CollectiveKind::kAllReduce);
}

TEST(NcclCalls, MovedBytesCountAsBytesAndAReduceScatterSaysWhatItGets) {
  CaptureFile file = training_capture(1);
  file.domain(kNccl, "NCCL").push("ncclAllGather", 240, 2, kNccl).nccl_payload(4, 640);
  file.launched("ncclDevKernel_AllGather_RING_LL(x)", 250, 60, 2).pop(248, 2, kNccl);
  file.push("ncclReduceScatter", 310, 2, kNccl).nccl_payload(7, 200);
  file.launched("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(x)", 320, 9, 2).pop(318, 2, kNccl);
  const Trace trace = import_capture(file.bytes()).trace;
  EXPECT_EQ(trace.communications.at(0).in_elements, Elements{640});
  EXPECT_EQ(trace.communications.at(0).dtype, DType::kUint8);
  EXPECT_EQ(trace.communications.at(1).in_elements, std::nullopt);
  EXPECT_EQ(trace.communications.at(1).out_elements, Elements{100});
}

/// Two all-reduces of 400 and 800 bytes in one group; `kernels` of them are launched at its end.
CaptureFile grouped(int kernels) {
  CaptureFile file = training_capture(1);
  file.domain(kNccl, "NCCL").push("ncclGroupStart", 240, 2, kNccl).pop(241, 2, kNccl);
  file.push("ncclAllReduce", 242, 2, kNccl).nccl_payload(5, 400).pop(243, 2, kNccl);
  file.push("ncclAllReduce", 244, 2, kNccl).nccl_payload(5, 800).pop(245, 2, kNccl);
  file.push("ncclGroupEnd", 246, 2, kNccl);
  for (int i = 0; i < kernels; ++i) file.launched(kAllReduce, 255 + 20 * i, 15, 2);
  file.pop(330, 2, kNccl);
  return file;
}

TEST(NcclCalls, CallsOfAGroupGoWithItsLaunchesInTheirOrder) {
  const Trace trace = import_capture(grouped(2).bytes()).trace;
  EXPECT_EQ(trace.communications.at(0).in_elements, Elements{100});
  EXPECT_EQ(trace.communications.at(1).in_elements, Elements{200});
}

TEST(NcclCalls, OneKernelOfAGroupMovesAllItsBytes) {
  EXPECT_EQ(import_capture(grouped(1).bytes()).trace.communications.at(0).in_elements,
            Elements{300});
}

TEST(NcclCalls, AGroupThatCannotBeMatchedIsSaid) {
  const Imported imported = import_capture(grouped(3).bytes());
  EXPECT_EQ(test::defects_of(imported.report, "group-unclear"), 1u);
  EXPECT_EQ(imported.trace.communications.at(0).in_elements, std::nullopt);
}

TEST(NcclCalls, AreTheMarksWhereNothingElseTellsOfGradients) {
  CaptureFile file = training_capture(4, false);
  file.domain(kNccl, "NCCL");
  for (int i = 0; i < 4; ++i) file.launched(kAllReduce, 1000.0 * i + 280, 60, 2);
  const Trace trace = import_capture(file.bytes()).trace;
  const auto marks = std::find_if(trace.software.begin(), trace.software.end(),
                                  [](const Fact& fact) { return fact.name == "marks"; });
  EXPECT_EQ(marks->value, "NCCL launches, period of the kernel sequence");
}

/// emit_nvtx around kernels of thread 2: the backward pass of two nodes, the second accumulates.
CaptureFile emit_nvtx(bool own_marks) {
  CaptureFile file = training_capture(3, own_marks);
  for (int i = 0; i < 3; ++i) {
    const double at = 100 + 1000.0 * i;
    file.push("autograd::engine::evaluate_function: ConvolutionBackward0", at + 92, 2);
    file.pop(at + 156, 2);
    file.push("autograd::engine::evaluate_function: torch::autograd::AccumulateGrad", at + 157, 2);
    file.push("torch::autograd::AccumulateGrad, op_id = 9, sizes = [[64, 3, 7, 7]]", at + 158, 2);
    file.pop(at + 159, 2).pop(at + 160, 2);
  }
  return file;
}

TEST(EmitNvtx, TellsTheBackwardPassTheGradientsAndTheirShapes) {
  const Imported imported = import_capture(emit_nvtx(false).bytes());
  ASSERT_EQ(imported.trace.gradients.size(), 3u);
  EXPECT_THAT(imported.trace.gradients[0].shape, testing::ElementsAre(64, 3, 7, 7));
  EXPECT_EQ(imported.trace.backwards.size(), 3u);
  EXPECT_THAT(imported.report.gradients_found_by, HasSubstr("AccumulateGrad ranges of emit_nvtx"));
  EXPECT_EQ(imported.report.backward_found_by,
            "launches inside autograd::engine::evaluate_function");
}

TEST(EmitNvtx, IsNotAskedWhereTheProgramMarksItself) {
  const Imported imported = import_capture(emit_nvtx(true).bytes());
  EXPECT_EQ(imported.trace.gradients.size(), 6u);
  EXPECT_THAT(imported.report.gradients_found_by, HasSubstr("gradient-ready marks (pytorch hook)"));
}

}  // namespace
}  // namespace gradwire
