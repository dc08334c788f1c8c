#include "simulator/workload/kernel_class.hpp"

#include <gtest/gtest.h>

#include "simulator/workload/gradient_schedule.hpp"
#include "traces/importers/registry.hpp"

namespace gradwire {
namespace {

TEST(KernelClass, NamesOfTheRealTracesFallWhereTheyBelong) {
  // As they stand in the traces of traces/data and examples/validation/traces.
  EXPECT_EQ(kernel_class_of("volta_scudnn_128x64_stridedB_splitK_xregs_large_nn_v1"),
            "convolution");
  EXPECT_EQ(kernel_class_of("void implicit_convolve_sgemm<float, float, 128, 5>"), "convolution");
  EXPECT_EQ(kernel_class_of("volta_sgemm_32x128_nt"), "gemm");
  EXPECT_EQ(kernel_class_of("void splitKreduce_kernel<float, float, float, float>"), "gemm");
  EXPECT_EQ(kernel_class_of("void cudnn::bn_bw_1C11_kernel_new<float, float, float2>"),
            "normalisation");
  EXPECT_EQ(kernel_class_of("void at::native::vectorized_elementwise_kernel<4, AddFunctor>"),
            "elementwise");
  EXPECT_EQ(kernel_class_of("void at::native::reduce_kernel<128, 4, at::native::ReduceOp>"),
            "reduction");
  EXPECT_EQ(kernel_class_of("Memset (Device)"), "copy");
  EXPECT_EQ(kernel_class_of("my_own_kernel"), "other");
  EXPECT_EQ(kernel_class_of(""), "other");
}

TEST(KernelClass, TheClassesOfARealBackwardPassSumToItsBusyTime) {
  const Workload workload = make_workload(
      import_trace(GRADWIRE_SOURCE_DIR "/traces/data/v100-resnet50-b32/trace.gwt", {}).trace,
      "v100", {});
  ASSERT_FALSE(workload.kernel_classes.empty());
  Seconds total{0};
  Seconds convolution{0};
  for (const KernelClassTime& times : workload.kernel_classes) {
    total += times.total;
    if (times.name == "convolution") convolution = times.total;
    ASSERT_EQ(times.before.size(), workload.gradients.size());
  }
  EXPECT_NEAR(total.count(), workload.backward_busy->count(), 1e-12);
  // ResNet-50 is made of convolutions: their share of 557 kernels' time, counted from the trace.
  EXPECT_GT(convolution / total, 0.5);
}

}  // namespace
}  // namespace gradwire
