#include "compressors/measure/measurement_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compressors/spec/registry.hpp"
#include "tests/support/model_parameters.hpp"
#include "tests/support/thrown.hpp"

namespace gradwire {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const MeasuredImplementation kAll{"all",
                                  "everything",
                                  {"none", "fp16", "bf16", "powersgd", "signsgd", "ef-signsgd",
                                   "mstopk", "topk", "randomk", "qsgd"}};

std::vector<std::string> texts_of(const MeasurementPlan& plan) {
  std::vector<std::string> texts;
  for (const MeasurementPiece& piece : plan.pieces) texts.push_back(piece.text());
  return texts;
}

TEST(Sizes, AreReadAsRangesPowersAndNumbersAscendingAndEachOnce) {
  EXPECT_THAT(parse_sizes("2^10..2^12", "--sizes"),
              ElementsAre(Elements{1024}, Elements{2048}, Elements{4096}));
  EXPECT_THAT(parse_sizes("4096,1000,2^12,2^0,1", "--sizes"),
              ElementsAre(Elements{1}, Elements{1000}, Elements{4096}));
  EXPECT_THAT(parse_sizes("2^30", "--sizes"), ElementsAre(Elements{1 << 30}));
}

TEST(Sizes, ThatAreNoneAreRefused) {
  for (const char* bad :
       {"", ",", "1,", "0", "-4", "2^31", "2^-1", "2^", "2^12..2^10", "2^10..", "..2^10",
        "2^10..20", "1e6", "2^10 ", "1073741825", "99999999999999999999", "2^10...2^12", "all"}) {
    EXPECT_THAT(test::input_error_of([&] { parse_sizes(bad, "--sizes"); }),
                AllOf(HasSubstr("--sizes: \""), HasSubstr("2^10..2^20, 2^16 or 1000")))
        << bad;
  }
}

TEST(MeasurementPlan, AsksForRanksWhereTheDecodeGrowsWithThemAndSmallTensorsFirst) {
  const MeasurementPlan plan = make_measurement_plan(
      {{"fp16", "signsgd"}, {Elements{2048}, Elements{100}}, {}, {8, 2, 8}}, kAll);
  EXPECT_EQ(plan.implementation, "all");
  EXPECT_THAT(texts_of(plan),
              ElementsAre("fp16 on 100 elements", "signsgd on 100 elements with 2 ranks",
                          "signsgd on 100 elements with 8 ranks", "fp16 on 2^11 elements",
                          "signsgd on 2^11 elements with 2 ranks",
                          "signsgd on 2^11 elements with 8 ranks"));
  EXPECT_EQ(total_elements(plan.pieces[3].shapes), Elements{2048});
  EXPECT_EQ(plan.pieces[3].shapes.size(), 1U);
  EXPECT_THAT(plan.left_out, IsEmpty());
}

TEST(MeasurementPlan, SetsModelsBetweenTheSizesByTheirElements) {
  const MeasuredModel model{"mine", {{{30, 10}}, {{10}}}};
  EXPECT_THAT(texts_of(make_measurement_plan(
                  {{"fp16"}, {Elements{512}, Elements{256}}, {model}, {}}, kAll)),
              ElementsAre("fp16 on 2^8 elements", "fp16 on mine", "fp16 on 2^9 elements"));
}

TEST(MeasurementPlan, MeasuresSchemesThatLookAtShapesOnModelsAlone) {
  const MeasuredModel model{"mine", {{{30, 10}}, {{10}}}};
  const std::string powersgd = "powersgd:rank=2,min_compression_rate=0";
  EXPECT_THAT(texts_of(make_measurement_plan(
                  {{"powersgd:rank=2", "fp16"}, {Elements{256}}, {model}, {2, 8}}, kAll)),
              ElementsAre("fp16 on 2^8 elements", powersgd + " on mine", "fp16 on mine"));
  const MeasurementPlan without =
      make_measurement_plan({{"powersgd:rank=2", "fp16"}, {Elements{256}}, {}, {2}}, kAll);
  EXPECT_THAT(texts_of(without), ElementsAre("fp16 on 2^8 elements"));
  EXPECT_THAT(without.left_out, ElementsAre(HasSubstr(powersgd + ": its cost depends on")));
}

TEST(MeasurementPlan, LeavesOutWhatTheImplementationDoesNotHave) {
  const MeasurementPlan plan =
      make_measurement_plan({{"fp16", "qsgd"}, {Elements{4}}, {}, {2}}, {"few", "", {"fp16"}});
  EXPECT_EQ(plan.pieces.size(), 1U);
  EXPECT_THAT(plan.left_out,
              ElementsAre("qsgd:bits=4,bucket=512: the few implementation does not have it"));
}

TEST(MeasurementPlan, KeepsTheFirstOfTwoThatAProfileCannotTellApart) {
  const MeasuredModel one{"one", {{{64}}, {{36}}}};
  const MeasuredModel other{"other", {{{40}}, {{60}}}};
  const MeasuredModel flat{"flat", {{{8, 8}}}};
  const MeasurementPlan plan =
      make_measurement_plan({{"fp16"}, {Elements{64}}, {one, other, flat}, {}}, kAll);
  EXPECT_THAT(texts_of(plan), ElementsAre("fp16 on 2^6 elements", "fp16 on one"));
  EXPECT_THAT(plan.left_out, ElementsAre(HasSubstr("other: has the elements and tensors of one"),
                                         HasSubstr("flat: has the elements and tensors of 2^6")));
}

TEST(MeasurementPlan, RefusesWhatCannotBeMeasured) {
  const auto refusal = [](const MeasurementRequest& request) {
    return test::input_error_of([&] { make_measurement_plan(request, kAll); });
  };
  EXPECT_THAT(refusal({{"zip"}, {Elements{4}}, {}, {2}}), HasSubstr("no known scheme"));
  EXPECT_THAT(refusal({{"none"}, {Elements{4}}, {}, {2}}), HasSubstr("none encodes and decodes"));
  EXPECT_THAT(refusal({{"topk", "topk:fraction=0.01"}, {Elements{4}}, {}, {2}}),
              HasSubstr("topk:fraction=0.01,index_bytes=4 stands there twice"));
  EXPECT_THAT(refusal({{"fp16"}, {}, {}, {2}}), HasSubstr("nothing is left"));
  EXPECT_THAT(refusal({{"powersgd"}, {Elements{4}}, {}, {2}}),
              AllOf(HasSubstr("nothing is left"), HasSubstr("no model")));
  EXPECT_THAT(refusal({{"signsgd"}, {Elements{4}}, {}, {0}}), HasSubstr("ranks: 0 found"));
}

// 11 sizes: 5 schemes (fp16, bf16, three randomk) with one figure, 11 with one for each of 4 ranks;
// ResNet-50: those and five of PowerSGD.
TEST(StandardRequest, OfACpuEndsAtAMillionElementsAndResNet50) {
  const MeasurementPlan plan = make_measurement_plan(standard_request(DeviceKind::kCpu), kAll);
  EXPECT_EQ(plan.pieces.size(), 11U * (5 + 11 * 4) + (5 + 11 * 4) + 5);
  EXPECT_THAT(plan.left_out, IsEmpty());
  EXPECT_EQ(total_elements(plan.pieces.front().shapes), Elements{1024});
  EXPECT_EQ(total_elements(plan.pieces.back().shapes), Elements{25'557'032});
}

TEST(StandardRequest, OfAGpuGoesFromAThousandElementsTo268Millions) {
  const MeasurementRequest request = standard_request(DeviceKind::kGpu);
  EXPECT_EQ(request.sizes.size(), 19U);
  EXPECT_EQ(request.sizes.front(), Elements{1024});
  EXPECT_EQ(request.sizes.back(), Elements{268'435'456});
  EXPECT_EQ(request.models.size(), 3U);
}

void expect_shapes(const std::string& name, const std::vector<test::Parameter>& parameters) {
  const auto model = find_model(name);
  ASSERT_TRUE(model) << name;
  EXPECT_EQ(model->name, name);
  std::vector<std::vector<std::int64_t>> found;
  std::vector<std::vector<std::int64_t>> wanted;
  for (const TensorShape& shape : model->shapes) found.push_back(shape.extents);
  for (const test::Parameter& parameter : parameters) wanted.push_back(parameter.shape);
  EXPECT_EQ(found, wanted) << name;
}

TEST(KnownModels, HaveTheShapesOfTheirParametersInRegistrationOrder) {
  expect_shapes("resnet50", test::resnet50_parameters());
  expect_shapes("resnet101", test::resnet101_parameters());
  expect_shapes("bert-base", test::bert_base_parameters(21128, 5));
  EXPECT_FALSE(find_model("vgg16"));
  EXPECT_EQ(known_model_names(), "resnet50, resnet101, bert-base");
}

TEST(DependsOnShapes, IsTrueOfPowerSgdAloneWhateverItsThreshold) {
  for (const SchemeEntry& entry : schemes()) {
    EXPECT_EQ(depends_on_shapes(*parse_scheme(entry.name)), entry.name == "powersgd") << entry.name;
  }
  EXPECT_TRUE(depends_on_shapes(*parse_scheme("powersgd:rank=16,min_compression_rate=1000")));
}

}  // namespace
}  // namespace gradwire
