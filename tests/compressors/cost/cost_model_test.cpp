#include "compressors/cost/cost_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compressors/spec/registry.hpp"
#include "tests/support/model_parameters.hpp"

namespace gradwire {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr double kMillisecond = 1e-3;

std::vector<TensorShape> shapes_of(const std::vector<test::Parameter>& parameters) {
  std::vector<TensorShape> shapes;
  for (const test::Parameter& parameter : parameters) shapes.push_back({parameter.shape});
  return shapes;
}

const std::vector<TensorShape>& resnet50() {
  static const std::vector<TensorShape> kShapes = shapes_of(test::resnet50_parameters());
  return kShapes;
}

const CostProfile& v100() { return *find_cost_profile("Tesla V100-SXM2-16GB"); }

EncodeDecodeCost v100_cost(const std::string& scheme, const std::vector<TensorShape>& shapes,
                           int ranks, CostChoice choice = CostChoice::kStandard) {
  return encode_decode_cost(v100(), *parse_scheme(scheme), shapes, ranks, choice);
}

/// The embedded profile without its figures: the model answers everything.
EncodeDecodeCost modelled(const std::string& scheme, const std::vector<TensorShape>& shapes,
                          int ranks) {
  CostProfile profile = v100();
  profile.entries.clear();
  return encode_decode_cost(profile, *parse_scheme(scheme), shapes, ranks);
}

void expect_powersgd_ms(const std::vector<TensorShape>& shapes, double rank4, double rank8,
                        double rank16) {
  for (const auto& [rank, ms] : {std::pair{"4", rank4}, {"8", rank8}, {"16", rank16}}) {
    const EncodeDecodeCost cost = modelled(std::string{"powersgd:rank="} + rank, shapes, 64);
    EXPECT_NEAR(cost.total() / Seconds{kMillisecond}, ms, 0.5) << rank;
    EXPECT_EQ(cost.standing, "derived");
  }
}

// 5.7 ms + 16.8 us x launches; launches in device_work_test.cpp.
TEST(CostModel, OfPowerSgdIsALineOverTheLaunches) {
  expect_powersgd_ms(resnet50(), 41.0, 70.1, 128.1);
  expect_powersgd_ms(shapes_of(test::resnet101_parameters()), 74.5, 130.9, 243.8);
  // 2927, 5335, 10135 launches.
  expect_powersgd_ms(shapes_of(test::bert_base_parameters(21128, 5)), 54.9, 95.3, 176.0);
}

TEST(CostModel, OfPowerSgdIsTheSameForAnyNumberOfRanks) {
  EXPECT_EQ(modelled("powersgd:rank=4", resnet50(), 8).total(),
            modelled("powersgd:rank=4", resnet50(), 96).total());
}

// 45 bytes x 25,557,032 elements / 800 GB/s = 1.4376 ms a rank; the vote 8 bytes, 0.2556 ms; the
// encode 28 bytes, 0.8945 ms.
TEST(CostModel, OfSignSgdIsAConstantAndATimeARank) {
  EXPECT_NEAR(modelled("signsgd", resnet50(), 8).encode / Seconds{kMillisecond}, 0.8945, 1e-4);
  for (const int ranks : {1, 2, 8, 64, 96}) {
    EXPECT_NEAR(modelled("signsgd", resnet50(), ranks).decode / Seconds{kMillisecond},
                0.2556 + 1.43758 * ranks, 1e-3)
        << ranks;
  }
}

// 20 rounds x 6 bytes = 120 bytes an element, 3.834 ms; once 38 bytes, 1.214 ms; 255,570 selected x
// 40 bytes, 0.013 ms; 22 waits of 20 us. Decode at 8 ranks: zeros 4 bytes an element, 0.128 ms, and
// 255,570 x 44 x 8 bytes, 0.112 ms; its 25 launches take longer: 0.420 ms.
TEST(CostModel, OfMsTopKIsItsRoundsAndItsWaits) {
  const EncodeDecodeCost cost = modelled("mstopk:fraction=0.01,rounds=20", resnet50(), 8);
  EXPECT_NEAR(cost.encode / Seconds{kMillisecond}, 3.834 + 1.214 + 0.013 + 0.440, 2e-3);
  EXPECT_NEAR(cost.decode / Seconds{kMillisecond}, 0.420, 1e-3);
  const EncodeDecodeCost longer = modelled("mstopk:fraction=0.01,rounds=100", resnet50(), 8);
  EXPECT_NEAR((longer.encode - cost.encode) / Seconds{kMillisecond}, 80 * (0.19168 + 0.020), 1e-2);
}

// 6 bytes x 25,557,032 / 800 GB/s.
TEST(CostModel, OfACastIsOnePassEachWay) {
  const EncodeDecodeCost cost = modelled("fp16", resnet50(), 64);
  EXPECT_NEAR(cost.encode / Seconds{kMillisecond}, 0.19168, 1e-5);
  EXPECT_EQ(cost.encode, cost.decode);
}

TEST(CostModel, OfDoingNothingIsNothing) {
  EXPECT_EQ(modelled("none", resnet50(), 64).total(), Seconds{0});
  EXPECT_EQ(modelled("powersgd:rank=4", {}, 64).total(), Seconds{0});
  EXPECT_THAT(modelled("none", resnet50(), 64).notes, IsEmpty());
}

// The rate was derived from 289 ms at 10 %.
TEST(CostModel, OfExactTopKMeetsTheFigureItWasDerivedFrom) {
  EXPECT_NEAR(modelled("topk:fraction=0.1", resnet50(), 1).encode / Seconds{kMillisecond}, 289,
              2.0);
}

TEST(CostEntries, OfTheStudyAreTakenWhereTheyFit) {
  for (const auto& [scheme, ms] : {std::pair{"powersgd:rank=4", 45.0},
                                   {"powersgd:rank=8", 64.0},
                                   {"powersgd:rank=16", 130.0},
                                   {"topk:fraction=0.2", 295.0},
                                   {"topk:fraction=0.1,index_bytes=8", 289.0},
                                   {"topk:fraction=0.01", 240.0}}) {
    const EncodeDecodeCost cost = v100_cost(scheme, resnet50(), 64);
    EXPECT_NEAR(cost.total() / Seconds{kMillisecond}, ms, 1e-9) << scheme;
    EXPECT_EQ(cost.standing, "recalled");
    EXPECT_THAT(cost.source, AllOf(HasSubstr("2103.00543"), HasSubstr("unverified")));
    EXPECT_THAT(cost.notes, Contains(HasSubstr("% of the sum counted as encode")));
  }
}

TEST(CostEntries, FitNoOtherModelAndNoOtherParameter) {
  std::vector<TensorShape> one_more = resnet50();
  one_more.push_back({{1}});
  EXPECT_EQ(v100_cost("powersgd:rank=4", one_more, 64).standing, "derived");
  EXPECT_EQ(v100_cost("powersgd:rank=5", resnet50(), 64).standing, "derived");
  EXPECT_EQ(v100_cost("powersgd:rank=4,min_compression_rate=2", resnet50(), 64).standing,
            "derived");
}

TEST(CostEntries, ForTheseRanksGoBeforeThoseForAnyAndFitNoOtherRanks) {
  CostProfile profile = v100();
  CostEntry entry{{"signsgd", {}},         Elements{6}, 1, 8, Seconds{1}, Seconds{2}, "", "2020",
                  {"measured", "a bench"}, ""};
  profile.entries = {entry};
  entry.ranks = 0;
  entry.decode = Seconds{3};
  profile.entries.push_back(entry);
  const auto signsgd = parse_scheme("signsgd");
  EXPECT_EQ(encode_decode_cost(profile, *signsgd, {{{6}}}, 8).decode, Seconds{2});
  const EncodeDecodeCost other = encode_decode_cost(profile, *signsgd, {{{6}}}, 9);
  EXPECT_EQ(other.decode, Seconds{3});
  EXPECT_THAT(other.notes, Contains(HasSubstr("grows with the ranks")));
  profile.entries.pop_back();
  EXPECT_THAT(encode_decode_cost(profile, *signsgd, {{{6}}}, 9).notes,
              Contains(AllOf(HasSubstr("Extrapolated from"), HasSubstr("another number of ranks"),
                             Not(HasSubstr("another model")))));
}

TEST(CostEntries, ThatAreAlternativesAreOnlyTakenWhenAskedFor) {
  const EncodeDecodeCost standard = v100_cost("signsgd", resnet50(), 64);
  EXPECT_EQ(standard.standing, "derived");
  EXPECT_NEAR(standard.total() / Seconds{kMillisecond}, 93.2, 0.1);
  EXPECT_THAT(standard.notes, Contains(AllOf(HasSubstr("Not taken: 16.34 ms (recalled)"),
                                             HasSubstr("loops over the ranks"))));
  const EncodeDecodeCost other = v100_cost("signsgd", resnet50(), 64, CostChoice::kAlternative);
  EXPECT_NEAR(other.total() / Seconds{kMillisecond}, 16.34, 1e-9);
  EXPECT_EQ(other.standing, "recalled");
  EXPECT_THAT(other.notes, Contains(HasSubstr("An alternative figure")));
  EXPECT_THAT(other.notes, Contains(HasSubstr("grows with the ranks")));
  EXPECT_NEAR(v100_cost("powersgd:rank=4", resnet50(), 64, CostChoice::kAlternative).total() /
                  Seconds{kMillisecond},
              45.0, 1e-9);
}

TEST(Extrapolation, IsSaidForEachWayInWhichItGoesBeyondTheFigures) {
  const std::vector<TensorShape> bert = shapes_of(test::bert_base_parameters(21128, 5));
  EXPECT_THAT(v100_cost("powersgd:rank=4", bert, 64).notes,
              Contains(AllOf(HasSubstr("Extrapolated from 45 ms (recalled)"),
                             HasSubstr("25557032 elements in 161 tensors"),
                             HasSubstr(": another model."))));
  EXPECT_THAT(v100_cost("powersgd:rank=32", resnet50(), 64).notes,
              Contains(AllOf(HasSubstr("powersgd"), HasSubstr("tensors: another parameter."))));
  EXPECT_THAT(v100_cost("powersgd:rank=32", bert, 64).notes,
              Contains(HasSubstr(": another model, another parameter.")));
  EXPECT_THAT(v100_cost("mstopk", resnet50(), 64).notes,
              Contains(HasSubstr("v100-published has no figure of mstopk")));
}

TEST(CostSource, NamesTheModelsInputsAndTheirStanding) {
  EXPECT_THAT(v100_cost("mstopk", resnet50(), 64).source,
              AllOf(HasSubstr("16.8 us (derived)"), HasSubstr("800 GB/s (assumed)"),
                    HasSubstr("22 waits of the host at 20 us (assumed)")));
  EXPECT_THAT(v100_cost("powersgd:rank=2", resnet50(), 64).source,
              HasSubstr("5.7 ms fixed (derived)"));
}

}  // namespace
}  // namespace gradwire
