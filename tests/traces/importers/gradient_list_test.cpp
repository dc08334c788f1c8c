#include "traces/importers/gradient_list/gradient_list_importer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"
#include "tests/support/thrown.hpp"
#include "tests/traces/importers/kineto_text.hpp"
#include "traces/importers/registry.hpp"
#include "traces/model/trace_checks.hpp"
#include "traces/model/trace_codec.hpp"

namespace gradwire {
namespace {

using test::TemporaryFolder;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kList =
    "## a remark: with a colon\n"
    "# device: Tesla V100\n"
    "# batch: 32\n"
    "# backward_us: 50.5\n"
    "# source: someone/somewhere, commit 1234\n"
    "# licence: MIT\n"
    "\n"
    "parameter,shape,dtype,ready_us\r\n"
    "fc.bias,10,float32,2.25\r\n"
    "fc.weight,10x4,float16,2.25\n"
    "scale,,float32,40\n";

Imported import_text(const std::string& text) {
  const TemporaryFolder folder;
  return import_trace(folder.write("list.csv", text), {.strict = true});
}

Trace trace_of(const std::string& text) { return import_text(text).trace; }

/// What is refused about `text`, without the folder in front of the file's name.
std::string fault_of(const std::string& text) {
  const std::string message = test::input_error_of([&] { import_text(text); });
  const std::size_t name = message.find("list.csv");
  EXPECT_NE(name, std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  return name == std::string::npos ? message : message.substr(name);
}

std::vector<std::int64_t> ready_ns(const Trace& trace) {
  std::vector<std::int64_t> times;
  for (const Gradient& gradient : trace.gradients) times.push_back(gradient.ready.count());
  return times;
}

TEST(GradientList, GivesOneInferredIterationOfGradientsAndNothingElse) {
  const Trace trace = trace_of(kList);
  EXPECT_THAT(ready_ns(trace), ElementsAre(2'250, 2'250, 40'000));
  EXPECT_EQ(trace.gradients[1].parameter, "fc.weight");
  EXPECT_THAT(trace.gradients[1].shape, ElementsAre(10, 4));
  EXPECT_EQ(trace.gradients[1].elements, Elements{40});
  EXPECT_EQ(trace.gradients[1].dtype, DType::kFloat16);
  EXPECT_EQ(trace.gradients[2].elements, Elements{1});
  ASSERT_EQ(trace.iterations.size(), 1U);
  EXPECT_TRUE(trace.iterations[0].inferred);
  EXPECT_THAT(trace.backwards, ElementsAre(BackwardMark{0, Nanoseconds{0}, Nanoseconds{50'500}}));
  EXPECT_THAT(trace.kernels, IsEmpty());
  EXPECT_THAT(trace.communications, IsEmpty());
  EXPECT_THAT(find_trace_defects(trace), IsEmpty());
}

TEST(GradientList, TakesWhatIsKnownOfTheWhole) {
  const Trace trace = trace_of(kList);
  ASSERT_EQ(trace.devices.size(), 1U);
  EXPECT_EQ(trace.devices[0].name, "Tesla V100");
  EXPECT_EQ(trace.batch_size, 32);
  EXPECT_EQ(trace.provenance.source, "someone/somewhere, commit 1234");
  EXPECT_EQ(trace.provenance.licence, "MIT");
}

TEST(GradientList, LeavesAbsentWhatItDoesNotSay) {
  const Trace trace = trace_of("ready_us\n3\n7\n");
  EXPECT_THAT(ready_ns(trace), ElementsAre(3'000, 7'000));
  EXPECT_EQ(trace.gradients[0].parameter, "");
  EXPECT_FALSE(trace.gradients[0].elements);
  EXPECT_THAT(trace.gradients[0].shape, IsEmpty());
  EXPECT_EQ(trace.gradients[0].dtype, DType::kUnknown);
  EXPECT_FALSE(trace.batch_size);
  EXPECT_THAT(trace.devices, IsEmpty());
  EXPECT_EQ(trace.provenance.source, "list.csv");
  EXPECT_EQ(trace.provenance.licence, "");
  EXPECT_EQ(trace.backwards.at(0).end, Nanoseconds{7'000});  // of the last gradient
}

TEST(GradientList, TakesElementsInsteadOfShapesInAnyOrderOfColumns) {
  const Trace trace = trace_of("ready_us,elements\n1,12\n2,3\n");
  EXPECT_EQ(trace.gradients[0].elements, Elements{12});
  EXPECT_THAT(trace.gradients[0].shape, IsEmpty());
}

TEST(GradientList, TakesElementsBesideAnEmptyShape) {
  const Trace trace = trace_of("shape,elements,ready_us\n,12,1\n3x4,12,2\n");
  EXPECT_EQ(trace.gradients[0].elements, Elements{12});
  EXPECT_THAT(trace.gradients[0].shape, IsEmpty());
  EXPECT_THAT(trace.gradients[1].shape, ElementsAre(3, 4));
}

TEST(GradientList, AddsUpGaps) {
  EXPECT_THAT(ready_ns(trace_of("elements,gap_us\n1,0\n1,5\n1,0.5\n")),
              ElementsAre(0, 5'000, 5'500));
}

TEST(GradientList, IsReadZippedAndWithAByteOrderMark) {
  EXPECT_EQ(trace_of(test::gzip(kList)).gradients, trace_of(kList).gradients);
  EXPECT_EQ(trace_of("\xEF\xBB\xBFready_us\n1\n").gradients.size(), 1U);
  EXPECT_EQ(trace_of("\xEF\xBB\xBF# batch: 2\nready_us\n1\n").batch_size, 2);
}

TEST(GradientList, SurvivesOurOwnFormat) {
  const Trace trace = trace_of(kList);
  EXPECT_EQ(decode_trace(encode_trace(trace), "t.gwt").trace, trace);
}

TEST(GradientList, SaysInTheReportWhatWasRead) {
  const ImportReport report = import_text(kList).report;
  EXPECT_EQ(report.format, "gradient list");
  EXPECT_FALSE(report.lost_data());
}

// ---- refusals

TEST(GradientListRefusals, TimesThatAreNegativeDecreaseOrAreNone) {
  EXPECT_THAT(fault_of("ready_us\n1\n-2\n"),
              AllOf(HasSubstr("list.csv:3: ready_us is `-2`"), HasSubstr("0 or more")));
  EXPECT_THAT(fault_of("ready_us\n5\n4.5\n"),
              AllOf(HasSubstr("list.csv:3: ready_us is `4.5`"), HasSubstr("before the 5.000")));
  EXPECT_THAT(fault_of("ready_us\nsoon\n"), HasSubstr("list.csv:2: ready_us is `soon`"));
  EXPECT_THAT(fault_of("gap_us\n-1\n"), HasSubstr("list.csv:2: gap_us is `-1`"));
  EXPECT_THAT(fault_of("gap_us\n9e15\n9e15\n"), HasSubstr("list.csv:3: gap_us is `9e15`"));
}

TEST(GradientListRefusals, SizesOfZeroOrThatContradictEachOther) {
  EXPECT_THAT(fault_of("elements,ready_us\n0,1\n"),
              AllOf(HasSubstr("list.csv:2: elements is `0`"), HasSubstr("above 0")));
  EXPECT_THAT(fault_of("elements,ready_us\n,1\n"), HasSubstr("elements is ``"));
  EXPECT_THAT(fault_of("shape,ready_us\n3x0,1\n"), HasSubstr("list.csv:2: the shape is `3x0`"));
  EXPECT_THAT(fault_of("shape,elements,ready_us\n3x4,13,1\n"),
              HasSubstr("elements is 13 but the shape 3x4 holds 12"));
}

TEST(GradientListRefusals, ColumnsThatAreUnknownTwiceOrMissing) {
  EXPECT_THAT(
      fault_of("parameter,size,ready_us\na,1,1\n"),
      AllOf(HasSubstr("list.csv:1: the column `size` is unknown"), HasSubstr("`elements`")));
  EXPECT_THAT(fault_of("size,ready_us\n1,1\n"), HasSubstr("the column `size` is unknown"));
  EXPECT_THAT(fault_of("elements,elements,ready_us\n1,1,1\n"),
              HasSubstr("`elements` is there twice"));
  EXPECT_THAT(fault_of("parameter,shape,dtype\na,1,float32\n"),
              HasSubstr("none of the times `ready_us` and `gap_us`"));
  EXPECT_THAT(fault_of("ready_us,gap_us\n1,1\n"), HasSubstr("both of the times"));
  EXPECT_THAT(fault_of("elements,ready_us\n1\n"), HasSubstr("list.csv:2: has 1 columns; 2"));
  EXPECT_THAT(fault_of("elements,ready_us\n1,2,3\n"), HasSubstr("has 3 columns; 2"));
}

TEST(GradientListRefusals, AnotherUnit) {
  EXPECT_THAT(fault_of("parameter,ready_ms\na,1\n"),
              AllOf(HasSubstr("list.csv:1: the column `ready_ms`"), HasSubstr("unknown unit"),
                    HasSubstr("`ready_us`")));
  EXPECT_THAT(fault_of("ready\n1\n"), HasSubstr("unknown unit"));
  EXPECT_THAT(fault_of("# backward_ms: 5\nready_us\n1\n"),
              AllOf(HasSubstr("list.csv:1: `backward_ms` is unknown"), HasSubstr("`backward_us`")));
}

TEST(GradientListRefusals, FactsThatAreWrong) {
  EXPECT_THAT(fault_of("# backward_us: 2\nready_us\n1\n3\n"),
              AllOf(HasSubstr("list.csv:1: backward_us"), HasSubstr("3.000")));
  EXPECT_THAT(fault_of("# backward_us: 0\nready_us\n1\n"), HasSubstr("backward_us is `0`"));
  EXPECT_THAT(fault_of("# batch: many\nready_us\n1\n"), HasSubstr("batch is `many`"));
  EXPECT_THAT(fault_of("# batch: 0\nready_us\n1\n"), HasSubstr("batch is `0`"));
  EXPECT_THAT(fault_of("# device:\nready_us\n1\n"), HasSubstr("list.csv:1: device is ``"));
  EXPECT_THAT(fault_of("# batch: 1\n# batch: 2\nready_us\n1\n"),
              HasSubstr("list.csv:2: `batch` is there twice"));
}

TEST(GradientListRefusals, ParametersThatAreThereTwiceAndUnknownDtypes) {
  EXPECT_THAT(fault_of("parameter,ready_us\na,1\na,2\n"),
              HasSubstr("list.csv:3: the parameter `a` is there twice"));
  EXPECT_THAT(fault_of("dtype,ready_us\ncomplex,1\n"),
              HasSubstr("list.csv:2: the dtype is `complex`"));
}

TEST(GradientListRefusals, AListOfNothing) {
  EXPECT_THAT(fault_of("parameter,shape,ready_us\n"), HasSubstr("lists no gradients"));
  EXPECT_THAT(fault_of("# batch: 3\n"), HasSubstr("lists no gradients"));
}

TEST(GradientListRefusals, AListThatIsCutInsideItsZip) {
  std::string zipped = test::gzip(kList);
  zipped.resize(zipped.size() - 6);
  EXPECT_THAT(fault_of(zipped), HasSubstr("whole only"));
}

}  // namespace
}  // namespace gradwire
