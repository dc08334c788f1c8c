// When gradients are ready, and how large they are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/traces/importers/kineto_text.hpp"

namespace gradwire {
namespace {

using test::import_text;
using test::KinetoText;
using test::times;
using test::two_iterations;

constexpr const char* kAccumulate = "torch::autograd::AccumulateGrad";

/// One step with a backward kernel from 1100 to 1200 us, launched at 1050 on thread 2.
KinetoText one_backward() {
  KinetoText text;
  text.step(1, "1000", "900");
  text.host("cpu_op", "autograd::engine::evaluate_function: X", "1040", "20", 2);
  text.launched("backward", "1100", "100", "1050", 2, 1);
  return text;
}

TEST(KinetoGradients, WithoutAKernelOfTheirOwnAreReadyWithTheLastOneLaunchedBefore) {
  const Imported imported = import_text(two_iterations().object());
  const auto& gradients = imported.trace.gradients;
  ASSERT_EQ(gradients.size(), 4u);
  EXPECT_EQ(gradients[0].ready, Nanoseconds{320000});
  EXPECT_EQ(gradients[1].ready, Nanoseconds{530000});
  EXPECT_EQ(gradients[0].shape, (std::vector<std::int64_t>{64, 3, 7, 7}));
  EXPECT_EQ(gradients[0].elements, Elements{64 * 3 * 7 * 7});
  EXPECT_EQ(gradients[0].dtype, DType::kFloat32);
  EXPECT_EQ(gradients[2].iteration, 1);
  EXPECT_FALSE(gradients[0].own_kernel);
}

TEST(KinetoGradients, WithAKernelOfTheirOwnAreReadyAtItsEnd) {
  KinetoText text = one_backward();
  text.host("cpu_op", kAccumulate, "1070", "10", 2, "\"Input Dims\": [[5]]");
  text.launched("add", "1210", "7", "1075", 2, 2);
  const Imported imported = import_text(text.object());
  EXPECT_EQ(imported.trace.gradients.at(0).ready, Nanoseconds{217000});
  EXPECT_TRUE(imported.trace.gradients.at(0).own_kernel);
  EXPECT_EQ(imported.report.gradients_found_by,
            "AccumulateGrad: 1 ready with their own kernel, 0 with the last one launched before");
}

TEST(KinetoGradients, ThatAreReadyTogetherKeepTheOrderOfAccumulateGrad) {
  KinetoText text = one_backward();
  text.host("cpu_op", kAccumulate, "1090", "1", 2, "\"Input Dims\": [[3]]");
  text.host("cpu_op", kAccumulate, "1070", "1", 2, "\"Input Dims\": [[1]]");
  text.host("cpu_op", kAccumulate, "1080", "1", 2, "\"Input Dims\": [[2]]");
  const auto gradients = import_text(text.object()).trace.gradients;
  ASSERT_EQ(gradients.size(), 3u);
  for (std::int64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(gradients[static_cast<std::size_t>(i)].elements, Elements{i + 1});
  }
}

TEST(KinetoGradients, AreListedInReadyOrder) {
  KinetoText text = one_backward();
  text.host("cpu_op", kAccumulate, "1070", "5", 2, "\"Input Dims\": [[1]]");
  text.launched("late add", "1500", "5", "1071", 2, 2);
  text.host("cpu_op", kAccumulate, "1080", "5", 2, "\"Input Dims\": [[2]]");
  text.launched("early add", "1300", "5", "1081", 2, 3);
  const auto gradients = import_text(text.object()).trace.gradients;
  ASSERT_EQ(gradients.size(), 2u);
  EXPECT_EQ(gradients[0].elements, Elements{2});
  EXPECT_EQ(gradients[1].elements, Elements{1});
}

TEST(KinetoGradients, TakeNoReadyTimeFromCommunication) {
  KinetoText text = one_backward();
  text.launched("ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", "1300", "500", "1060", 2, 5);
  text.host("cpu_op", kAccumulate, "1070", "1", 2, "\"Input Dims\": [[1]]");
  EXPECT_EQ(import_text(text.object()).trace.gradients.at(0).ready, Nanoseconds{200000});
}

TEST(KinetoGradients, OfTheMainThreadWithoutDimsAndTypeAreUndefinedAndIgnored) {
  KinetoText text = two_iterations();
  text.host("cpu_op", kAccumulate, "1600", "5", 1, R"("Input Dims": [[]], "Input type": [""])");
  const Imported imported = import_text(text.object());
  EXPECT_EQ(imported.trace.gradients.size(), 4u);
  EXPECT_EQ(times(imported.report, "accumulate-undefined"), 1u);
}

TEST(KinetoGradients, WithDimsOfAScalarHaveOneElementOnlyBesideAType) {
  KinetoText text = one_backward();
  text.host("cpu_op", kAccumulate, "1070", "1", 2,
            R"("Input Dims": [[]], "Input type": ["float"])");
  text.host("cpu_op", kAccumulate, "1080", "1", 2, R"("Input dims": [[]], "Input type": [])");
  const auto gradients = import_text(text.object()).trace.gradients;
  ASSERT_EQ(gradients.size(), 2u);
  EXPECT_EQ(gradients[0].elements, Elements{1});
  EXPECT_TRUE(gradients[0].shape.empty());
  EXPECT_FALSE(gradients[1].elements);
}

TEST(KinetoGradients, ReadDimsOfATensorListOneLevelDeeper) {
  KinetoText text = one_backward();
  text.host("cpu_op", kAccumulate, "1070", "1", 2,
            R"("Input Dims": [[[2873320]], [], []], "Input type": ["TensorList", "", ""])");
  EXPECT_EQ(import_text(text.object()).trace.gradients.at(0).elements, Elements{2873320});
}

TEST(KinetoGradients, WithoutDimsHaveNoSizeAndAreCounted) {
  KinetoText text = one_backward();
  text.host("cpu_op", kAccumulate, "1070", "1", 2, "\"External id\": 3");
  const Imported imported = import_text(text.object(), true);
  EXPECT_FALSE(imported.trace.gradients.at(0).elements);
  EXPECT_EQ(times(imported.report, "gradient-without-size"), 1u);
}

TEST(KinetoGradients, ThatNoKernelPrecedesAreLeftOutAndCounted) {
  KinetoText text;
  text.step(1, "1000", "900").launched("forward", "1020", "10", "1010", 1, 1);
  text.host("cpu_op", kAccumulate, "1070", "1", 2, "\"Input Dims\": [[5]]");
  const Imported imported = import_text(text.object());
  EXPECT_TRUE(imported.trace.gradients.empty());
  EXPECT_EQ(times(imported.report, "gradient-without-kernel"), 1u);
}

TEST(KinetoGradients, OfACompiledBackwardPassAreReadyTogetherAtItsEnd) {
  KinetoText text;
  text.step(1, "1000", "900");
  text.host("cpu_op", "autograd::engine::evaluate_function: CompiledFunctionBackward", "1040", "50",
            2);
  text.host("cpu_op", "CompiledFunctionBackward", "1041", "48", 2);
  text.launched("triton_a", "1100", "50", "1050", 2, 1)
      .launched("triton_b", "1160", "40", "1060", 2, 2);
  for (int i = 0; i < 3; ++i) {
    text.host("cpu_op", kAccumulate, std::to_string(1095 + 2 * i), "1", 2,
              "\"Input Dims\": [[" + std::to_string(i + 1) + "]]");
  }
  const Imported imported = import_text(text.object());
  ASSERT_EQ(imported.trace.gradients.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(imported.trace.gradients[i].ready, Nanoseconds{200000});
    EXPECT_EQ(imported.trace.gradients[i].elements, Elements{static_cast<std::int64_t>(i) + 1});
  }
  EXPECT_THAT(imported.report.backward_found_by, testing::HasSubstr("CompiledFunctionBackward"));
}

}  // namespace
}  // namespace gradwire
