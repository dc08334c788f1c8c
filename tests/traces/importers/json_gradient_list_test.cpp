#include "traces/importers/gradient_list/json_gradient_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"
#include "tests/support/thrown.hpp"
#include "tests/traces/importers/kineto_text.hpp"
#include "traces/importers/registry.hpp"

namespace gradwire {
namespace {

using test::TemporaryFolder;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// The form of the published lists.
constexpr const char* kPublished = R"({
"source": "someone, model.py",
"unit": "us between consecutive gradient-ready times (first = 0); sizes in elements fp32",
"tensors": [
{"name": "fc.bias", "elems": 10, "gap_us": 0},
{"name": "fc.weight", "elems": 40, "gap_us": 57.5}
],
"n_tensors": 2, "n_gaps": 2, "total_elems": 50, "total_gap_us": 57.5
})";

Imported import_text(const std::string& text) {
  const TemporaryFolder folder;
  return import_trace(folder.write("list.json", text), {.strict = true});
}

Trace trace_of(const std::string& text) { return import_text(text).trace; }

/// What is refused about `text`, from the file's name on.
std::string fault_of(const std::string& text) {
  const std::string message = test::input_error_of([&] { import_text(text); });
  const std::size_t name = message.find("list.json");
  EXPECT_NE(name, std::string::npos) << message;
  return name == std::string::npos ? message : message.substr(name);
}

/// The refusal of a list with these tensors.
std::string fault_of_tensors(const std::string& tensors) {
  return fault_of(R"({"tensors": [)" + tensors + "]}");
}

TEST(JsonGradientList, OfThePublishedFormIsReadWithItsSourceAndElementType) {
  const Imported imported = import_text(kPublished);
  const Trace& trace = imported.trace;
  ASSERT_EQ(trace.gradients.size(), 2U);
  EXPECT_EQ(trace.gradients[0].parameter, "fc.bias");
  EXPECT_EQ(trace.gradients[1].elements, Elements{40});
  EXPECT_EQ(trace.gradients[1].dtype, DType::kFloat32);
  EXPECT_EQ(trace.gradients[1].ready, Nanoseconds{57'500});
  EXPECT_THAT(trace.backwards, ElementsAre(BackwardMark{0, Nanoseconds{0}, Nanoseconds{57'500}}));
  EXPECT_THAT(trace.kernels, IsEmpty());
  EXPECT_EQ(trace.provenance.source, "someone, model.py");
  EXPECT_EQ(trace.provenance.standing, "published");
  EXPECT_EQ(imported.report.format, "gradient list, JSON");
}

TEST(JsonGradientList, TakesTheNamesFactsAndShapesOfTheCsv) {
  const Trace trace = trace_of(
      R"({"device": "Tesla V100", "batch": 32, "backward_us": 9, "licence": "MIT",
          "standing": "assumed", "basis": "made up",
          "tensors": [{"parameter": "w", "shape": [8, 3], "dtype": "float16", "ready_us": 5},
                      {"parameter": "s", "shape": [], "dtype": "float32", "ready_us": 7}]})");
  EXPECT_EQ(trace.devices.at(0).name, "Tesla V100");
  EXPECT_EQ(trace.batch_size, 32);
  EXPECT_EQ(trace.backwards.at(0).end, Nanoseconds{9'000});
  EXPECT_EQ(trace.provenance.licence, "MIT");
  EXPECT_EQ(trace.provenance.standing, "assumed");
  EXPECT_THAT(trace.gradients.at(0).shape, ElementsAre(8, 3));
  EXPECT_EQ(trace.gradients.at(0).elements, Elements{24});
  EXPECT_EQ(trace.gradients.at(0).dtype, DType::kFloat16);
  EXPECT_EQ(trace.gradients.at(1).elements, Elements{1});
}

TEST(JsonGradientList, WithoutAUnitLeavesTheElementTypeAbsent) {
  EXPECT_EQ(trace_of(R"({"tensors": [{"elems": 3, "gap_us": 1}]})").gradients.at(0).dtype,
            DType::kUnknown);
}

TEST(JsonGradientList, IsReadZippedAndWithAByteOrderMark) {
  EXPECT_EQ(trace_of(test::gzip(kPublished)).gradients, trace_of(kPublished).gradients);
  EXPECT_EQ(trace_of(std::string("\xEF\xBB\xBF") + kPublished).gradients.size(), 2U);
}

TEST(JsonGradientList, IsToldByAKeyOfItsOwnAndNothingElse) {
  EXPECT_TRUE(is_json_gradient_list(kPublished));
  EXPECT_TRUE(is_json_gradient_list(R"( {"a": {"b": [1, "}"]}, "c": null, "tensors" : [)"));
  EXPECT_FALSE(is_json_gradient_list(R"({"traceEvents": [{"args": {"tensors": []}}], "x": 1})"));
  EXPECT_FALSE(is_json_gradient_list(R"({"note": "\"tensors\": [", "traceEvents": []})"));
  EXPECT_FALSE(is_json_gradient_list(R"({"tensors": 3})"));
  EXPECT_FALSE(is_json_gradient_list(R"([{"tensors": []}])"));
  EXPECT_FALSE(is_json_gradient_list(R"({"a": "cut in the mid)"));
  EXPECT_FALSE(is_json_gradient_list(""));
  EXPECT_FALSE(is_json_gradient_list("{"));
}

TEST(JsonGradientListRefusals, NameTheRecord) {
  const std::string good = R"({"name": "a", "elems": 1, "gap_us": 1}, )";
  EXPECT_THAT(fault_of_tensors(good + R"({"name": "b", "elems": -5, "gap_us": 1})"),
              AllOf(HasSubstr("list.json: tensors[1]: elements is `-5`"), HasSubstr("above 0")));
  EXPECT_THAT(fault_of_tensors(good + R"({"name": "b", "elems": 1.5, "gap_us": 1})"),
              HasSubstr("elements is `1.5`"));
  EXPECT_THAT(fault_of_tensors(good + R"({"name": "b", "elems": 1, "gap_us": -1})"),
              HasSubstr("tensors[1]: gap_us is `-1`"));
  EXPECT_THAT(fault_of_tensors(good + R"({"name": "b", "elems": 1, "gap_us": null})"),
              HasSubstr("gap_us is `null`"));
  EXPECT_THAT(fault_of_tensors(good + R"({"name": "a", "elems": 1, "gap_us": 1})"),
              HasSubstr("tensors[1]: the parameter `a` is there twice"));
  EXPECT_THAT(fault_of_tensors(good + R"({"name": "b", "elems": 1})"),
              HasSubstr("none of the times"));
  EXPECT_THAT(fault_of_tensors(good + R"({"name": "b", "size": 1, "gap_us": 1})"),
              HasSubstr("tensors[1]: the column `size` is unknown"));
  EXPECT_THAT(fault_of_tensors(good + R"({"name": "b", "elems": 1, "elements": 1, "gap_us": 1})"),
              HasSubstr("`elements` is there twice"));
  EXPECT_THAT(fault_of_tensors(good + R"({"name": "b", "shape": [2, 0], "gap_us": 1})"),
              HasSubstr("tensors[1]: the shape is `2x0`"));
  EXPECT_THAT(fault_of_tensors(good + "7"),
              AllOf(HasSubstr("tensors[1]: is `7`"), HasSubstr("\"gap_us\": 5")));
}

TEST(JsonGradientListRefusals, ReadyTimesThatDecrease) {
  EXPECT_THAT(fault_of_tensors(R"({"elems": 1, "ready_us": 5}, {"elems": 1, "ready_us": 4})"),
              AllOf(HasSubstr("tensors[1]: ready_us is `4`"), HasSubstr("before the 5.000")));
}

TEST(JsonGradientListRefusals, AnotherUnitAndUnknownKeys) {
  EXPECT_THAT(fault_of(R"({"unit": "ms", "tensors": [{"elems": 1, "gap_us": 1}]})"),
              AllOf(HasSubstr("unit is `ms`"), HasSubstr("us between consecutive")));
  EXPECT_THAT(fault_of(R"({"speed": 3, "tensors": [{"elems": 1, "gap_us": 1}]})"),
              HasSubstr("list.json: `speed` is unknown"));
}

TEST(JsonGradientListRefusals, SumsThatTheTensorsDoNotMake) {
  const auto with = [](const std::string& sum) {
    return fault_of(R"({"tensors": [{"elems": 3, "gap_us": 1}, {"elems": 4, "gap_us": 2}], )" +
                    sum + "}");
  };
  EXPECT_THAT(with(R"("n_tensors": 3)"), HasSubstr("n_tensors is 3 but the tensors make 2"));
  EXPECT_THAT(with(R"("n_gaps": 1)"), HasSubstr("n_gaps is 1 but the tensors make 2"));
  EXPECT_THAT(with(R"("total_elems": 8)"), HasSubstr("total_elems is 8 but the tensors make 7"));
  EXPECT_THAT(with(R"("total_gap_us": 4)"),
              HasSubstr("total_gap_us is 4.000 but the tensors make 3.000"));
  EXPECT_THAT(with(R"("n_tensors": "many")"), HasSubstr("n_tensors is `many`"));
}

TEST(JsonGradientListRefusals, AListThatIsCutEmptyOrTwice) {
  EXPECT_THAT(fault_of(R"({"tensors": [{"elems": 1, "gap_us": 1})"), HasSubstr("no whole JSON"));
  EXPECT_THAT(fault_of(R"({"tensors": []})"), HasSubstr("lists no gradients"));
  EXPECT_THAT(fault_of(R"({"tensors": [], "tensors": []})"), HasSubstr("there twice"));
}

// Figures of the published lists: file, tensors, elements, microseconds.
TEST(PublishedJsonLists, AreReadWhole) {
  const auto folder = std::filesystem::path{GRADWIRE_SHARED_DIR} / "traces-public" / "compression";
  if (!std::filesystem::exists(folder))
    GTEST_SKIP() << "the public lists are not at hand: " << folder;
  struct Row {
    const char* file;
    std::size_t tensors;
    std::int64_t elements;
    std::int64_t span_us;
  };
  for (const Row& row :
       {Row{"LSTM", 10, 85'974'278, 71'450}, Row{"bert", 199, 108'897'794, 66'335},
        Row{"gpt2", 148, 124'439'808, 211'329}, Row{"ncf", 12, 178'064'769, 79},
        Row{"resnet50", 161, 25'557'032, 63'533}, Row{"resnet101", 314, 44'549'160, 120'391},
        Row{"ugatit", 148, 670'761'088, 434'241}, Row{"vgg16", 32, 138'357'544, 85'310}}) {
    const auto path = folder / (std::string("espresso-gradready-") + row.file + ".json");
    const Trace trace = import_trace(path, {.strict = true}).trace;
    EXPECT_EQ(trace.gradients.size(), row.tensors) << row.file;
    std::int64_t elements = 0;
    for (const Gradient& gradient : trace.gradients) elements += gradient.elements.value().count();
    EXPECT_EQ(elements, row.elements) << row.file;
    EXPECT_EQ(trace.backwards.at(0).end, Nanoseconds{row.span_us * 1000}) << row.file;
  }
}

}  // namespace
}  // namespace gradwire
