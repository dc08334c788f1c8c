// Communications, and the ways of training that are not plain DDP.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/traces/importers/kineto_text.hpp"
#include "traces/importers/profile/collective_names.hpp"

namespace gradwire {
namespace {

using test::import_text;
using test::KinetoText;
using test::parallelism_of;
using test::times;
using test::two_iterations;

constexpr const char* kAllReduceArgs =
    R"("Collective name": "allreduce", "In msg nelems": 2049000, "Out msg nelems": 2049000,
 "Group size": 2, "dtype": "Float")";

/// Adds a communication launched from `thread` at `launch`.
void communicate(KinetoText& text, const std::string& kernel, int launch, int thread, int id,
                 const std::string& args = "") {
  text.kernel(kernel, std::to_string(launch + 20), "50", id, 40, args);
  text.call("cudaLaunchKernelExC", std::to_string(launch), thread, id);
}

TEST(CollectiveNames, OfEveryKnownSpellingAreTold) {
  EXPECT_EQ(collective_of_kernel("ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*)"),
            CollectiveKind::kAllReduce);
  EXPECT_EQ(collective_of_kernel("ncclDevKernel_ReduceScatter_Sum_f32_RING_LL(x)"),
            CollectiveKind::kReduceScatter);
  EXPECT_EQ(collective_of_kernel("ncclDevKernel_Reduce_Sum_f32(x)"), CollectiveKind::kReduce);
  EXPECT_EQ(collective_of_kernel("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)"),
            CollectiveKind::kSendReceive);
  EXPECT_EQ(collective_of_kernel("ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)"),
            CollectiveKind::kOpaque);
  EXPECT_EQ(collective_of_operation("_allgather_base"), CollectiveKind::kAllGather);
  EXPECT_EQ(collective_of_operation("_reduce_scatter_base"), CollectiveKind::kReduceScatter);
  EXPECT_EQ(collective_of_operation("alltoallv"), CollectiveKind::kAllToAll);
  EXPECT_EQ(collective_of_operation("gather"), CollectiveKind::kOpaque);
  EXPECT_FALSE(collective_of_operation("wait"));
  EXPECT_FALSE(collective_of_operation("barrier"));
}

TEST(CollectiveNames, OfFutureKernelsAreStillCommunication) {
  EXPECT_TRUE(is_communication_kernel("ncclSymmetricKernel_v9(args)"));
  EXPECT_TRUE(is_communication_kernel("rcclFutureKernel(args)"));
  EXPECT_FALSE(is_communication_kernel("void nchwToNhwcKernel<float>()"));
}

TEST(KinetoCommunications, AreDescribedByTheArgsOfTheirKernel) {
  KinetoText text = two_iterations();
  communicate(text, "ncclKernel_AllReduce_RING_LL_Sum_float(x)", 1320, 2, 70, kAllReduceArgs);
  const Imported imported = import_text(text.object());
  ASSERT_EQ(imported.trace.communications.size(), 1u);
  const Communication& communication = imported.trace.communications[0];
  EXPECT_EQ(communication.collective, CollectiveKind::kAllReduce);
  EXPECT_EQ(communication.in_elements, Elements{2049000});
  EXPECT_EQ(communication.dtype, DType::kFloat32);
  EXPECT_EQ(communication.group_size, 2);
  EXPECT_EQ(communication.iteration, 0);
  ASSERT_TRUE(communication.kernel);
  EXPECT_EQ(imported.trace.kernels[*communication.kernel].stream, StreamId{40});
  EXPECT_EQ(imported.report.collectives_in, imported.report.collectives_out);
  EXPECT_EQ(imported.report.collectives_out.at("all_reduce"), 1u);
  EXPECT_EQ(parallelism_of(imported.trace), "no-sync");  // the other iteration has none
}

TEST(KinetoCommunications, WithoutArgsAreDescribedByTheOperatorAroundTheirLaunch) {
  KinetoText text = two_iterations();
  text.host("cpu_op", "record_param_comms", "1305", "40", 2,
            R"("Input Dims": [[], [], []], "Input type": ["TensorList", "Scalar", ""])");
  text.host("user_annotation", "nccl:all_reduce", "1310", "30", 2,
            R"("Input Dims": [[394241]], "Input type": ["float"])");
  communicate(text, "ncclDevKernel_Generic(x)", 1320, 2, 70);
  text.host("cpu_op", "record_param_comms", "1346", "2", 2, "");  // the wait that follows
  const Imported imported = import_text(text.object());
  ASSERT_EQ(imported.trace.communications.size(), 1u);
  EXPECT_EQ(imported.trace.communications[0].collective, CollectiveKind::kAllReduce);
  EXPECT_EQ(imported.trace.communications[0].in_elements, Elements{394241});
  EXPECT_EQ(imported.trace.communications[0].dtype, DType::kFloat32);
}

TEST(KinetoCommunications, SumTheTensorsOfAList) {
  KinetoText text = two_iterations();
  text.host(
      "cpu_op", "record_param_comms", "1305", "40", 2,
      R"("Collective name": "allreduce", "dtype": "BFloat16", "Input Dims": [[[10, 2], [5]], []])");
  communicate(text, "ncclDevKernel_Generic(x)", 1320, 2, 70);
  const Trace trace = import_text(text.object()).trace;
  EXPECT_EQ(trace.communications.at(0).in_elements, Elements{25});
  EXPECT_EQ(trace.communications[0].dtype, DType::kBfloat16);
}

TEST(KinetoCommunications, OfSendAndReceiveKernelsAreAllToAllWhereTheAnnotationSaysSo) {
  KinetoText text = two_iterations();
  text.host("user_annotation", "nccl:all_to_all", "1005", "10", 1, R"("Input Dims": [[8, 1024]])");
  communicate(text, "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(x)", 1008, 1, 70);
  const Trace trace = import_text(text.object()).trace;
  EXPECT_EQ(trace.communications.at(0).collective, CollectiveKind::kAllToAll);
  EXPECT_EQ(trace.communications[0].in_elements, Elements{8192});
  EXPECT_EQ(parallelism_of(trace), "model-parallel-embeddings");
}

TEST(KinetoCommunications, OfUnknownNamesAreOpaqueAndCounted) {
  KinetoText text = two_iterations();
  communicate(text, "ncclFutureKernel(x)", 1320, 2, 70);
  const Imported imported = import_text(text.object());
  EXPECT_EQ(imported.trace.communications.at(0).collective, CollectiveKind::kOpaque);
  EXPECT_EQ(times(imported.report, "collective-unknown"), 1u);
  EXPECT_EQ(imported.report.collectives_out.at("opaque"), 1u);
}

TEST(KinetoCommunications, OfZeroElementsOrWithoutASizeAreWarnedOf) {
  KinetoText text = two_iterations();
  communicate(text, "ncclKernel_AllReduce_x(x)", 1320, 2, 70,
              R"("Collective name": "allreduce", "In msg nelems": 0, "Out msg nelems": 0)");
  communicate(text, "ncclKernel_AllReduce_x(x)", 1330, 2, 71);
  const Imported imported = import_text(text.object());
  EXPECT_EQ(times(imported.report, "communication-of-zero-elements"), 1u);
  EXPECT_EQ(times(imported.report, "communication-without-size"), 1u);
}

TEST(KinetoCommunications, AnnotationsNamedNcclAreNoKernels) {
  KinetoText text = two_iterations();
  text.raw(
      R"({"ph": "X", "cat": "gpu_user_annotation", "name": "nccl:all_reduce", "pid": 0, "tid": 40,
 "ts": 1300, "dur": 50, "args": {}})");
  text.host("user_annotation", "nccl:all_reduce", "1310", "30", 2);
  const Imported imported = import_text(text.object());
  EXPECT_EQ(imported.trace.kernels.size(), 8u);
  EXPECT_TRUE(imported.trace.communications.empty());
}

TEST(KinetoCommunications, WhoseKernelTheCaptureLacksAreKeptAndSaid) {
  KinetoText text = two_iterations();
  text.host("cpu_op", "record_param_comms", "1305", "40", 2, kAllReduceArgs);
  const Imported imported = import_text(text.object());
  ASSERT_EQ(imported.trace.communications.size(), 1u);
  EXPECT_FALSE(imported.trace.communications[0].kernel);
  EXPECT_EQ(times(imported.report, "communication-without-kernel"), 1u);
}

TEST(KinetoParallelism, OfPlainDdpIsNotNamed) {
  KinetoText text = two_iterations();
  communicate(text, "ncclKernel_AllReduce_x(x)", 1320, 2, 70, kAllReduceArgs);
  communicate(text, "ncclKernel_AllReduce_x(x)", 2320, 2, 71, kAllReduceArgs);
  EXPECT_EQ(parallelism_of(import_text(text.object()).trace), "");
}

TEST(KinetoParallelism, OfReduceScatterAndAllGatherIsFsdp) {
  KinetoText text = two_iterations();
  for (int i = 1; i <= 2; ++i) {
    communicate(text, "ncclDevKernel_AllGather_RING_LL(x)", 1000 * i + 5, 1, 70 + i);
    communicate(text, "ncclDevKernel_ReduceScatter_Sum_f32_RING_LL(x)", 1000 * i + 320, 2, 80 + i);
  }
  const Trace trace = import_text(text.object()).trace;
  EXPECT_EQ(parallelism_of(trace), "fsdp");
  EXPECT_THAT(trace.parallelism[0].evidence,
              testing::HasSubstr("2 reduce-scatters and 2 all-gathers"));
}

TEST(KinetoParallelism, OfACompiledBackwardPassWithAllReducesIsCompiledDdp) {
  KinetoText text = two_iterations();
  for (int i = 1; i <= 2; ++i) {
    text.host("cpu_op", "CompiledFunctionBackward", std::to_string(1000 * i + 201), "40", 2);
    communicate(text, "ncclKernel_AllReduce_x(x)", 1000 * i + 320, 2, 70 + i, kAllReduceArgs);
  }
  EXPECT_EQ(parallelism_of(import_text(text.object()).trace), "compiled-ddp");
}

TEST(KinetoParallelism, OfSeveralBackwardPassesInAnIterationIsNoSync) {
  KinetoText text = two_iterations();
  // Both passes of two_iterations become passes of one iteration.
  std::string joined = text.object();
  joined.replace(joined.find("\"dur\": 900"), 10, "\"dur\": 1950");
  joined.replace(joined.find("ProfilerStep#6"), 14, "SomethingElse!");
  const Trace trace = import_text(joined).trace;
  ASSERT_EQ(trace.iterations.size(), 1u);
  EXPECT_EQ(parallelism_of(trace), "no-sync");
  EXPECT_THAT(trace.parallelism[0].evidence,
              testing::HasSubstr("2 backward passes of 2 gradients"));
}

TEST(KinetoParallelism, OfAllReducesOfActivationsInTheForwardPassIsTensorParallel) {
  KinetoText text = two_iterations();
  for (int i = 1; i <= 2; ++i) {
    communicate(text, "ncclKernel_AllReduce_x(x)", 1000 * i + 12, 1, 70 + i, kAllReduceArgs);
    communicate(text, "ncclKernel_AllReduce_x(x)", 1000 * i + 22, 1, 80 + i, kAllReduceArgs);
    communicate(text, "ncclKernel_AllReduce_x(x)", 1000 * i + 320, 2, 90 + i, kAllReduceArgs);
  }
  EXPECT_EQ(parallelism_of(import_text(text.object()).trace), "tensor-parallel");
}

TEST(KinetoParallelism, OfSendsAndReceivesIsPipelineParallel) {
  KinetoText text = two_iterations();
  text.host("cpu_op", "record_param_comms", "1005", "10", 1,
            R"("Collective name": "send", "In msg nelems": 100)");
  communicate(text, "ncclDevKernel_SendRecv(x)", 1008, 1, 70);
  EXPECT_EQ(parallelism_of(import_text(text.object()).trace), "pipeline-parallel");
}

TEST(KinetoParallelism, OfSendReceiveKernelsThatNothingExplainsIsPointToPoint) {
  KinetoText text = two_iterations();
  communicate(text, "ncclDevKernel_SendRecv(x)", 1008, 1, 70);
  EXPECT_EQ(parallelism_of(import_text(text.object()).trace), "point-to-point");
}

TEST(CollectiveNames, AKernelThatReducesNamesItsType) {
  EXPECT_EQ(dtype_of_kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)"),
            DType::kFloat32);
  EXPECT_EQ(dtype_of_kernel("ncclDevKernel_AllReduce_Sum_bf16_TREE_LL128(x)"), DType::kBfloat16);
  EXPECT_EQ(dtype_of_kernel("ncclKernel_AllReduce_RING_LL_Sum_half(ncclDevComm*)"),
            DType::kFloat16);
  EXPECT_EQ(dtype_of_kernel("ncclKernel_AllReduce_RING_LL_Sum___nv_bfloat16(ncclDevComm*)"),
            DType::kBfloat16);
  // The type of an argument is none of the elements'.
  EXPECT_EQ(dtype_of_kernel("ncclDevKernel_AllGather_RING_LL(x_f32)"), DType::kUnknown);
}

}  // namespace
}  // namespace gradwire
