#include "compressors/spec/device_work.hpp"

#include <gtest/gtest.h>

#include "compressors/spec/registry.hpp"
#include "tests/support/model_parameters.hpp"

namespace gradwire {
namespace {

std::int64_t powersgd_launches(const std::vector<test::Parameter>& parameters, int rank) {
  std::vector<TensorShape> shapes;
  for (const test::Parameter& parameter : parameters) shapes.push_back({parameter.shape});
  return parse_scheme("powersgd:rank=" + std::to_string(rank))->work(shapes, 64).launches();
}

// 54 matrices x (8 r + 1) + 161 tensors x 2 = 54 x 33 + 322 = 2104 at rank 4; no matrix is narrower
// than 16.
TEST(PowerSgdWork, OfResNet50IsMostlyGramSchmidtLaunches) {
  EXPECT_EQ(powersgd_launches(test::resnet50_parameters(), 4), 2104);
  EXPECT_EQ(powersgd_launches(test::resnet50_parameters(), 8), 3832);
  EXPECT_EQ(powersgd_launches(test::resnet50_parameters(), 16), 7288);
}

// 105 matrices x (8 r + 1) + 314 x 2.
TEST(PowerSgdWork, OfResNet101IsTwiceThat) {
  EXPECT_EQ(powersgd_launches(test::resnet101_parameters(), 4), 4093);
  EXPECT_EQ(powersgd_launches(test::resnet101_parameters(), 8), 7453);
  EXPECT_EQ(powersgd_launches(test::resnet101_parameters(), 16), 14173);
}

// 77 matrices x (8 r + 1) + 201 x 2 would be 2943, 5407, 10335; but the token types (2 x 768) have
// rank 2 and the classifier (5 x 768) at most 5: 8 x 2 fewer launches at rank 4, 8 x (6 + 3) at 8,
// 8 x (14 + 11) at 16.
TEST(PowerSgdWork, OfBertCountsTheRankThatNarrowMatricesHave) {
  EXPECT_EQ(powersgd_launches(test::bert_base_parameters(21128, 5), 4), 2943 - 16);
  EXPECT_EQ(powersgd_launches(test::bert_base_parameters(21128, 5), 8), 5407 - 72);
  EXPECT_EQ(powersgd_launches(test::bert_base_parameters(21128, 5), 16), 10335 - 200);
}

// 8 x 10 at rank 2 and a bias of 8. Encode: 2 x 2 + 1 launches, 20 x 88 + 4 x 80 bytes. Between: 1
// + 12 launches, 4 x 80 + 12 x 8 x 2 x 3 bytes. Decode: 3 launches, 24 x 80 bytes.
TEST(PowerSgdWork, HasTheOrthogonalFactorBetweenItsTransfersAndTheOuterProductInDecode) {
  const DeviceWork work = parse_scheme("powersgd:rank=2")->work({{{8, 10}}, {{8}}}, 4);
  EXPECT_EQ(work.encode, (PhaseWork{5, 1760.0 + 320.0, 0}));
  EXPECT_EQ(work.between, (PhaseWork{13, 320.0 + 576.0, 0}));
  EXPECT_EQ(work.before_last_transfer(), (PhaseWork{18, 1760.0 + 640.0 + 576.0, 0}));
  EXPECT_EQ(work.decode, (PhaseWork{3, 1920.0, 0}));
}

TEST(PowerSgdWork, LeavesOutTheMatricesThatAreNotCompressed) {
  const auto scheme = parse_scheme("powersgd:rank=2,min_compression_rate=2");
  EXPECT_EQ(scheme->work({{{8, 8}}}, 4).launches(), 2);
}

TEST(SignSgdWork, OfDecodeGrowsWithTheRanks) {
  const DeviceWork work = parse_scheme("signsgd")->work({{{100}}}, 8);
  EXPECT_EQ(work.encode, (PhaseWork{6, 2800.0, 0}));
  EXPECT_EQ(work.decode, (PhaseWork{49, 45.0 * 8 * 100 + 800.0, 0}));
}

// 6 launches and 52 bytes an element more than signSGD's encode; 8 bytes more for each rank.
TEST(EfSignSgdWork, IsSignSgdsAndTheScaleAndTheMemory) {
  const DeviceWork work = parse_scheme("ef-signsgd")->work({{{100}}}, 8);
  EXPECT_EQ(work.encode, (PhaseWork{6 + 6, 2800.0 + 5200.0, 0}));
  EXPECT_EQ(work.decode, (PhaseWork{7 * 8 + 1, (45.0 + 8.0) * 8 * 100 + 800.0, 0}));
}

// 8-bit codes are a byte: encode 102 + 1 bytes an element; decode of 4 ranks 4 x (32 + 1) + 12.
TEST(QsgdWork, OfDecodeGrowsWithTheRanks) {
  const DeviceWork work = parse_scheme("qsgd:bits=8")->work({{{100}}}, 4);
  EXPECT_EQ(work.encode, (PhaseWork{13, 10300.0, 0}));
  EXPECT_EQ(work.decode, (PhaseWork{4 * 4 + 2, 14400.0, 0}));
}

// 100 elements, 10 selected, 3 rounds: 13 + 18 launches, (38 + 18) x 100 + 40 x 10 bytes, 3 + 2
// waits; decode of 4 ranks 13 launches, 4 x 100 + 44 x 10 x 4 bytes.
TEST(MsTopKWork, WaitsOnceARound) {
  const DeviceWork work = parse_scheme("mstopk:fraction=0.1,rounds=3")->work({{{100}}}, 4);
  EXPECT_EQ(work.encode, (PhaseWork{31, 6000.0, 5}));
  EXPECT_EQ(work.decode, (PhaseWork{13, 2160.0, 0}));
}

TEST(RandomKWork, GrowsWithTheRanksOnlyWhereEachDrawsItsOwn) {
  const auto shared = parse_scheme("randomk:fraction=0.1");
  EXPECT_EQ(shared->work({{{100}}}, 4), shared->work({{{100}}}, 64));
  EXPECT_EQ(shared->work({{{100}}}, 4).decode, (PhaseWork{2, 560.0, 0}));
  const auto own = parse_scheme("randomk:fraction=0.1,shared_seed=false");
  EXPECT_EQ(own->work({{{100}}}, 4).decode, (PhaseWork{13, 2160.0, 0}));
}

TEST(TopKWork, ReadsTheKeysEighteenTimes) {
  EXPECT_EQ(parse_scheme("topk:fraction=0.1")->work({{{100}}}, 4).encode,
            (PhaseWork{4, 8800.0 + 280.0, 0}));
}

// One launch each way, which reads 4 bytes an element and writes 2, or the other way round.
TEST(CastWork, IsOneLaunchEachWayWhateverTheRanks) {
  for (const char* cast : {"fp16", "bf16"}) {
    const DeviceWork work = parse_scheme(cast)->work({{{10, 8}}, {{20}}}, 64);
    EXPECT_EQ(work.encode, (PhaseWork{1, 600.0, 0})) << cast;
    EXPECT_EQ(work.decode, (PhaseWork{1, 600.0, 0})) << cast;
  }
  EXPECT_EQ(parse_scheme("none")->work({{{100}}}, 64), DeviceWork{});
}

TEST(SchemeWork, IsNothingForNothing) {
  for (const SchemeEntry& entry : schemes()) {
    EXPECT_EQ(parse_scheme(entry.name)->work({}, 8), DeviceWork{}) << entry.name;
  }
}

}  // namespace
}  // namespace gradwire
