#include "traces/importers/parameter_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/thrown.hpp"
#include "tests/traces/importers/kineto_text.hpp"

namespace gradwire {
namespace {

using test::input_error_of;
using test::times;
using testing::HasSubstr;

/// Two complete iterations of two gradients without size.
Trace unsized_trace() {
  Trace trace;
  trace.iterations.resize(2);
  for (std::int32_t i = 0; i < 2; ++i) {
    for (std::int32_t g = 0; g < 2; ++g) {
      Gradient gradient;
      gradient.iteration = i;
      gradient.ready = Nanoseconds{100 * i + g};
      trace.gradients.push_back(gradient);
    }
  }
  return trace;
}

TEST(ParseParameterList, ReadsShapesScalarsAndDtypes) {
  const auto list = parse_parameter_list(
      "parameter,shape,dtype\r\nconv1.weight,64x3x7x7,float32\nscale,,bfloat16\n\n", "list.csv");
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].name, "conv1.weight");
  EXPECT_EQ(list[0].shape, (std::vector<std::int64_t>{64, 3, 7, 7}));
  EXPECT_TRUE(list[1].shape.empty());
  EXPECT_EQ(list[1].dtype, DType::kBfloat16);
}

TEST(ParseParameterList, NamesFileLineAndFault) {
  const auto fault_of = [](const char* text) {
    return input_error_of([&] { parse_parameter_list(text, "list.csv"); });
  };
  EXPECT_THAT(fault_of("name,size\n"), HasSubstr("list.csv:1: the header"));
  EXPECT_THAT(fault_of("parameter,shape\na,3x-1\n"), HasSubstr("list.csv:2: the shape is `3x-1`"));
  EXPECT_THAT(fault_of("parameter,shape\na,3x0\n"), HasSubstr("list.csv:2"));
  EXPECT_THAT(fault_of("parameter,shape\na\n"), HasSubstr("list.csv:2: has 1 columns"));
  EXPECT_THAT(fault_of("parameter,shape\na,3\na,3\n"), HasSubstr("list.csv:3: the parameter `a`"));
  EXPECT_THAT(fault_of("parameter,shape,dtype\na,3,complex\n"),
              HasSubstr("the dtype is `complex`"));
  EXPECT_THAT(fault_of("parameter,shape\n"), HasSubstr("holds no parameters"));
  EXPECT_THAT(fault_of(""), HasSubstr("holds no parameters"));
}

TEST(ReadParameterList, RefusesAMissingFile) {
  const test::TemporaryFolder folder;
  EXPECT_THROW(read_parameter_list(folder / "none.csv"), InputError);
}

TEST(ApplyParameterList, TakesTheReverseOfTheRegistrationOrderAndSaysSo) {
  Trace trace = unsized_trace();
  ImportReport report;
  apply_parameter_list({{"first", {2, 3}, DType::kFloat32}, {"second", {5}, DType::kFloat32}},
                       "list.csv", trace, report);
  for (const std::size_t i : {0u, 2u}) {
    EXPECT_EQ(trace.gradients[i].parameter, "second");
    EXPECT_EQ(trace.gradients[i].elements, Elements{5});
    EXPECT_EQ(trace.gradients[i + 1].elements, Elements{6});
  }
  EXPECT_EQ(times(report, "gradient-order-assumed"), 1u);
}

TEST(ApplyParameterList, FollowsTheNamesOfTheTraceWhereItHasThem) {
  Trace trace = unsized_trace();
  for (std::size_t i = 0; i < 4; ++i) trace.gradients[i].parameter = i % 2 == 0 ? "a" : "b";
  ImportReport report;
  apply_parameter_list({{"a", {7}, DType::kUnknown}, {"b", {9}, DType::kUnknown}}, "list.csv",
                       trace, report);
  EXPECT_EQ(trace.gradients[0].elements, Elements{7});
  EXPECT_EQ(trace.gradients[3].elements, Elements{9});
  EXPECT_EQ(times(report, "gradient-order-assumed"), 0u);
  EXPECT_THAT(input_error_of([&] {
                apply_parameter_list({{"a", {7}, DType::kUnknown}, {"c", {9}, DType::kUnknown}},
                                     "list.csv", trace, report);
              }),
              HasSubstr("no parameter `b`"));
}

TEST(ApplyParameterList, KeepsSizesOfTheTraceAndSaysWhereTheListDisagrees) {
  Trace trace = unsized_trace();
  trace.gradients[0].elements = Elements{4};
  ImportReport report;
  apply_parameter_list({{"first", {2}, DType::kUnknown}, {"second", {5}, DType::kUnknown}},
                       "list.csv", trace, report);
  EXPECT_EQ(trace.gradients[0].elements, Elements{4});
  EXPECT_EQ(trace.gradients[2].elements, Elements{5});
  EXPECT_EQ(times(report, "parameter-list-disagrees"), 1u);
}

TEST(ApplyParameterList, GivesNameAndDtypeToGradientsThatHaveASize) {
  Trace trace = unsized_trace();
  for (Gradient& gradient : trace.gradients) gradient.elements = Elements{6};
  const auto list =
      parse_parameter_list("parameter,shape,dtype\na,2x3,float16\nb,6,float16\n", "list.csv");
  ImportReport report;
  apply_parameter_list(list, "list.csv", trace, report);
  EXPECT_EQ(trace.gradients[0].parameter, "b");
  EXPECT_EQ(trace.gradients[0].dtype, DType::kFloat16);
  EXPECT_EQ(trace.gradients[1].parameter, "a");
  EXPECT_EQ(times(report, "parameter-list-disagrees"), 0u);
}

TEST(ApplyParameterList, RefusesAnotherNumberOfParameters) {
  Trace trace = unsized_trace();
  ImportReport report;
  const std::vector<ParameterShape> three(3);
  EXPECT_THAT(input_error_of([&] { apply_parameter_list(three, "list.csv", trace, report); }),
              HasSubstr("list.csv: lists 3 parameters; iteration 0 of the trace has 2 gradients"));
}

TEST(ApplyParameterList, PassesOverCutIterations) {
  Trace trace = unsized_trace();
  trace.iterations[1].complete = false;
  trace.gradients.pop_back();
  ImportReport report;
  apply_parameter_list({{"first", {2}, DType::kUnknown}, {"second", {5}, DType::kUnknown}},
                       "list.csv", trace, report);
  EXPECT_EQ(trace.gradients[0].elements, Elements{5});
  EXPECT_FALSE(trace.gradients[2].elements);
}

TEST(ApplyParameterList, RefusesATraceWithoutGradients) {
  Trace trace;
  ImportReport report;
  EXPECT_THAT(input_error_of([&] {
                apply_parameter_list({{"a", {1}, DType::kUnknown}}, "list.csv", trace, report);
              }),
              HasSubstr("no gradients"));
}

}  // namespace
}  // namespace gradwire
