#include "compressors/cost/cost_interpolation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "compressors/cost/cost_model.hpp"
#include "compressors/spec/registry.hpp"
#include "tests/support/thrown.hpp"

namespace gradwire {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// A figure of one scheme: times in seconds.
struct Figure {
  const char* scheme;
  std::int64_t elements;
  int tensors;
  int ranks;
  double encode;
  double decode;
};

CostProfile profile_of(const std::vector<Figure>& figures) {
  CostProfile profile;
  profile.name = "bench";
  profile.device_patterns = {"X"};
  for (const Figure& figure : figures) {
    CostEntry entry;
    entry.scheme = scheme_text_of(*parse_scheme(figure.scheme));
    entry.elements = Elements{figure.elements};
    entry.tensors = figure.tensors;
    entry.ranks = figure.ranks;
    entry.encode = Seconds{figure.encode};
    entry.decode = Seconds{figure.decode};
    entry.date = "2026";
    entry.provenance = {"measured", "a bench"};
    profile.entries.push_back(entry);
  }
  return profile;
}

/// 1000 elements in so many tensors.
std::vector<TensorShape> thousand_in(int tensors) {
  std::vector<TensorShape> shapes;
  for (int i = 0; i < tensors; ++i) shapes.push_back({{1000 / tensors}});
  return shapes;
}

EncodeDecodeCost cost_of(const CostProfile& profile, const std::string& scheme,
                         const std::vector<TensorShape>& tensors, int ranks) {
  return encode_decode_cost(profile, *parse_scheme(scheme), tensors, ranks);
}

// 1000 is three quarters of the way from 400 to 1200.
TEST(Interpolation, IsLinearInTheElementsBetweenTheTwoNearestSizes) {
  const CostProfile profile = profile_of({{"fp16", 100, 1, 0, 9, 9},
                                          {"fp16", 400, 1, 0, 1, 10},
                                          {"fp16", 1200, 1, 0, 5, 30},
                                          {"fp16", 5000, 1, 0, 90, 90}});
  const EncodeDecodeCost cost = cost_of(profile, "fp16", thousand_in(4), 64);
  EXPECT_DOUBLE_EQ(cost.encode.count(), 4.0);
  EXPECT_DOUBLE_EQ(cost.decode.count(), 25.0);
  EXPECT_EQ(cost.standing, "interpolated");
  EXPECT_TRUE(cost.is_entry);
  EXPECT_THAT(cost.source, HasSubstr("bench (2026)"));
  EXPECT_THAT(
      cost.notes,
      Contains(AllOf(HasSubstr("Interpolated from 11 s (measured) for fp16 on 400 elements"),
                     HasSubstr("; 35 s (measured) for fp16 on 1200 elements"))));
  EXPECT_THAT(cost.notes, Contains(HasSubstr("what 4 tensors take besides is not in them")));
}

// 1000 elements lie half-way between 500 and 1500; 10 ranks a quarter of the way from 8 to 16. With
// 8 ranks (2 + 4) / 2 = 3 and (20 + 40) / 2 = 30; with 16 ranks 4 and 70: 3.25 and 40.
TEST(Interpolation, IsLinearInTheRanksBetweenTheTwoNearestCounts) {
  const CostProfile profile = profile_of({{"signsgd", 500, 1, 8, 2, 20},
                                          {"signsgd", 1500, 1, 8, 4, 40},
                                          {"signsgd", 500, 1, 16, 3, 60},
                                          {"signsgd", 1500, 1, 16, 5, 80},
                                          {"signsgd", 500, 1, 2, 90, 90},
                                          {"signsgd", 1500, 1, 96, 90, 90}});
  const EncodeDecodeCost cost = cost_of(profile, "signsgd", thousand_in(1), 10);
  EXPECT_DOUBLE_EQ(cost.encode.count(), 3.25);
  EXPECT_DOUBLE_EQ(cost.decode.count(), 40.0);
  const auto found = interpolate_cost(profile, *parse_scheme("signsgd"), thousand_in(1), 10);
  EXPECT_EQ(found->between.size(), 4U);
  EXPECT_THAT(cost.notes, Not(Contains(HasSubstr("besides"))));
  EXPECT_DOUBLE_EQ(cost_of(profile, "signsgd", thousand_in(1), 8).decode.count(), 30.0);
}

TEST(Interpolation, AnExactFigureGoesBeforeIt) {
  const CostProfile profile = profile_of(
      {{"fp16", 500, 1, 0, 1, 1}, {"fp16", 1500, 1, 0, 3, 3}, {"fp16", 1000, 2, 0, 7, 7}});
  const EncodeDecodeCost exact = cost_of(profile, "fp16", thousand_in(2), 4);
  EXPECT_EQ(exact.standing, "measured");
  EXPECT_EQ(exact.encode, Seconds{7});
  EXPECT_EQ(cost_of(profile, "fp16", thousand_in(4), 4).encode, Seconds{2});
}

TEST(Interpolation, FiguresOfTheseTensorsGoBeforeFiguresOfOneTensor) {
  const CostProfile profile = profile_of({{"signsgd", 1000, 2, 2, 1, 10},
                                          {"signsgd", 1000, 2, 6, 1, 30},
                                          {"signsgd", 500, 1, 4, 90, 90},
                                          {"signsgd", 1500, 1, 4, 90, 90}});
  const EncodeDecodeCost cost = cost_of(profile, "signsgd", thousand_in(2), 4);
  EXPECT_DOUBLE_EQ(cost.decode.count(), 20.0);
  EXPECT_THAT(cost.notes, Not(Contains(HasSubstr("besides"))));
}

TEST(Interpolation, OfOneTensorOfTheSameSizeSaysWhatIsNotInIt) {
  const EncodeDecodeCost cost =
      cost_of(profile_of({{"fp16", 1000, 1, 0, 1, 1}}), "fp16", thousand_in(4), 4);
  EXPECT_EQ(cost.standing, "interpolated");
  EXPECT_EQ(cost.encode, Seconds{1});
  EXPECT_THAT(cost.notes, Contains(HasSubstr("of one tensor")));
}

TEST(Interpolation, NeverGoesBeyondTheMeasuredSizesAndRanks) {
  const CostProfile profile = profile_of({{"signsgd", 500, 1, 4, 1, 1},
                                          {"signsgd", 900, 1, 4, 2, 2},
                                          {"signsgd", 500, 1, 8, 1, 1},
                                          {"signsgd", 900, 1, 8, 2, 2}});
  const auto found = [&](std::int64_t elements, int ranks) {
    return interpolate_cost(profile, *parse_scheme("signsgd"), {{{elements}}}, ranks).has_value();
  };
  EXPECT_TRUE(found(500, 4));
  EXPECT_TRUE(found(900, 8));
  EXPECT_TRUE(found(700, 6));
  EXPECT_FALSE(found(499, 4));
  EXPECT_FALSE(found(901, 4));
  EXPECT_FALSE(found(700, 3));
  EXPECT_FALSE(found(700, 9));
}

TEST(Interpolation, ThatIsNotPossibleIsRefusedWithWhatWasMeasured) {
  const CostProfile profile =
      profile_of({{"signsgd", 500, 1, 4, 1, 1}, {"signsgd", 900, 1, 8, 2, 2}});
  EXPECT_THAT(test::input_error_of([&] { cost_of(profile, "signsgd", thousand_in(1), 6); }),
              AllOf(HasSubstr("bench: has no figure of signsgd for 1000 elements"),
                    HasSubstr("go from 500 to 900 elements and from 4 to 8 ranks")));
  EXPECT_THAT(test::input_error_of([&] { cost_of(profile, "topk", thousand_in(1), 6); }),
              Not(HasSubstr("go from")));
}

TEST(Interpolation, KeepsToOneSetOfParameters) {
  const CostProfile profile =
      profile_of({{"topk:fraction=0.1", 500, 1, 4, 1, 1}, {"topk:fraction=0.2", 1500, 1, 4, 2, 2}});
  for (const char* scheme : {"topk:fraction=0.1", "topk:fraction=0.2", "topk:fraction=0.15"}) {
    EXPECT_FALSE(interpolate_cost(profile, *parse_scheme(scheme), thousand_in(1), 4)) << scheme;
  }
}

TEST(Interpolation, OfASchemeThatLooksAtShapesIsNotDone) {
  const CostProfile profile =
      profile_of({{"powersgd:rank=2", 500, 1, 0, 1, 1}, {"powersgd:rank=2", 1500, 1, 0, 2, 2}});
  EXPECT_FALSE(interpolate_cost(profile, *parse_scheme("powersgd:rank=2"), thousand_in(2), 4));
  EXPECT_FALSE(interpolate_cost(profile, *parse_scheme("powersgd:rank=2"), thousand_in(1), 4));
}

TEST(Interpolation, IsBetweenMeasuredFiguresThatAreNoAlternatives) {
  for (const bool standing : {true, false}) {
    CostProfile profile = profile_of({{"fp16", 500, 1, 0, 1, 1}, {"fp16", 1500, 1, 0, 3, 3}});
    EXPECT_TRUE(interpolate_cost(profile, *parse_scheme("fp16"), thousand_in(1), 4));
    if (standing) {
      profile.entries[1].provenance.standing = "recalled";
    } else {
      profile.entries[1].alternative_because = "a test";
    }
    EXPECT_FALSE(interpolate_cost(profile, *parse_scheme("fp16"), thousand_in(1), 4));
  }
}

TEST(Interpolation, FromOneFigureForAnyRanksSaysSoWhereTheDecodeGrows) {
  const CostProfile profile =
      profile_of({{"signsgd", 500, 1, 0, 1, 1}, {"signsgd", 1500, 1, 0, 2, 2}});
  EXPECT_THAT(cost_of(profile, "signsgd", thousand_in(1), 64).notes,
              Contains(HasSubstr("grows with the ranks")));
}

}  // namespace
}  // namespace gradwire
