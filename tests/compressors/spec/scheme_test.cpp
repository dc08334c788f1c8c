#include <gtest/gtest.h>

#include <numeric>

#include "compressors/spec/registry.hpp"
#include "tests/support/model_parameters.hpp"
#include "tests/support/thrown.hpp"

namespace gradwire {
namespace {

std::vector<TensorShape> shapes_of(const std::vector<test::Parameter>& parameters) {
  std::vector<TensorShape> shapes;
  for (const test::Parameter& parameter : parameters) shapes.push_back({parameter.shape});
  return shapes;
}

/// Megabytes (powers of ten) of the transfer called `what`; 0 when there is none.
double megabytes(const std::vector<Transfer>& transfers, const std::string& what) {
  double sum = 0.0;
  for (const Transfer& transfer : transfers) {
    if (transfer.what == what) sum += static_cast<double>(transfer.bytes().count()) * 1e-6;
  }
  return sum;
}

struct PowerSgdSize {
  int rank;
  double p;
  double q;
  double total;
  double ratio;
};

/// Sizes from the parameter shapes by hand, MB and payload over wire (study-facts 2.1, derived).
void expect_powersgd_sizes(const std::vector<TensorShape>& shapes, double one_dimensional,
                           const std::vector<PowerSgdSize>& expected) {
  for (const PowerSgdSize& size : expected) {
    const auto scheme = parse_scheme("powersgd:rank=" + std::to_string(size.rank));
    const std::vector<Transfer> transfers = scheme->transfers(shapes);
    EXPECT_NEAR(megabytes(transfers, "P"), size.p, 0.0006) << size.rank;
    EXPECT_NEAR(megabytes(transfers, "Q"), size.q, 0.0006) << size.rank;
    EXPECT_NEAR(megabytes(transfers, "1-D tensors"), one_dimensional, 0.0006) << size.rank;
    EXPECT_NEAR(static_cast<double>(wire_bytes(transfers).count()) * 1e-6, size.total, 0.0006);
    EXPECT_NEAR(compression_ratio(*scheme, shapes), size.ratio, 0.06 * size.ratio / 30);
    EXPECT_TRUE(carried_by_all_reduce(transfers));
  }
}

TEST(PowerSgd, SendsTheFactorsOfResNet50) {
  expect_powersgd_sizes(shapes_of(test::resnet50_parameters()), 0.216,
                        {{4, 0.441, 0.879, 1.536, 66.5},
                         {8, 0.882, 1.758, 2.856, 35.8},
                         {16, 1.764, 3.516, 5.496, 18.6}});
}

TEST(PowerSgd, SendsTheFactorsOfResNet101) {
  expect_powersgd_sizes(shapes_of(test::resnet101_parameters()), 0.425,
                        {{4, 0.859, 1.854, 3.138, 56.8},
                         {8, 1.718, 3.707, 5.850, 30.5},
                         {16, 3.435, 7.415, 11.275, 15.8}});
}

TEST(PowerSgd, SendsTheFactorsOfTheStudysBert) {
  expect_powersgd_sizes(shapes_of(test::bert_base_parameters(21128, 5)), 0.488,
                        {{4, 1.686, 1.382, 3.557, 115}, {8, 3.371, 2.749, 6.609, 61.9}});
}

TEST(PowerSgd, IssuesTheOneDimensionalTensorsThenPThenQ) {
  // 6 x 10 at rank 2: P 6 x 2, Q 10 x 2; the bias of 6 goes uncompressed.
  const auto transfers = parse_scheme("powersgd:rank=2")->transfers({{{6, 10}}, {{6}}});
  const std::vector<Transfer> expected = {
      {"1-D tensors", CollectiveKind::kAllReduce, Elements{6}, Bytes{4}},
      {"P", CollectiveKind::kAllReduce, Elements{12}, Bytes{4}},
      {"Q", CollectiveKind::kAllReduce, Elements{20}, Bytes{4}}};
  EXPECT_EQ(transfers, expected);
}

TEST(PowerSgd, TakesNoMoreRanksThanTheSmallerExtent) {
  // 3 x 5 at rank 4: rank 3, P 9, Q 15.
  const auto transfers = parse_scheme("powersgd:rank=4")->transfers({{{3, 5}}});
  EXPECT_EQ(transfers[0].elements, Elements{9});
  EXPECT_EQ(transfers[1].elements, Elements{15});
}

TEST(PowerSgd, LeavesMatricesThatWouldNotShrinkEnoughUncompressed) {
  // (8 + 8) * 2 * 2 = 64 is not below 8 * 8 = 64; at 8 x 9 (8 + 9) * 2 * 2 = 68 is below 72.
  const auto scheme = parse_scheme("powersgd:rank=2,min_compression_rate=2");
  EXPECT_EQ(scheme->transfers({{{8, 8}}}).at(0).what, "1-D tensors");
  EXPECT_EQ(scheme->transfers({{{8, 9}}}).at(0).what, "P");
}

TEST(SignSgd, SendsABitAnElementInWholeWords) {
  // 25,557,032 / 32 = 798,657.25 -> 798,658 words: 3.195 MB (study-facts 2.1).
  const auto transfers = parse_scheme("signsgd")->transfers(shapes_of(test::resnet50_parameters()));
  ASSERT_EQ(transfers.size(), 1U);
  EXPECT_EQ(transfers[0].kind, CollectiveKind::kAllGather);
  EXPECT_EQ(transfers[0].elements, Elements{798'658});
  EXPECT_NEAR(megabytes(transfers, "signs"), 3.195, 0.0005);
  EXPECT_FALSE(carried_by_all_reduce(transfers));
}

TEST(EfSignSgd, SendsOneScaleBehindTheSigns) {
  // 33 signs take 2 words.
  const auto transfers = parse_scheme("ef-signsgd")->transfers({{{33}}});
  const std::vector<Transfer> expected = {
      {"signs", CollectiveKind::kAllGather, Elements{2}, Bytes{4}},
      {"scale", CollectiveKind::kAllGather, Elements{1}, Bytes{4}}};
  EXPECT_EQ(transfers, expected);
}

TEST(Qsgd, SendsWholeCodesInWordsAndANormABucket) {
  // 4 bits: 8 codes a word, 1001 / 8 -> 126 words; buckets of 500: 3. 3 bits: 10 codes a word.
  const auto transfers = parse_scheme("qsgd:bits=4,bucket=500")->transfers({{{1001}}});
  const std::vector<Transfer> expected = {
      {"codes", CollectiveKind::kAllGather, Elements{126}, Bytes{4}},
      {"norms", CollectiveKind::kAllGather, Elements{3}, Bytes{4}}};
  EXPECT_EQ(transfers, expected);
  EXPECT_EQ(parse_scheme("qsgd:bits=3")->transfers({{{1001}}})[0].elements, Elements{101});
}

TEST(Selections, SendValuesAndIndicesOfAFraction) {
  // 10 %, 1 %, 0.1 % of ResNet-50: 10.2, 1.02, 0.10 MB of values (study-facts 5.4).
  const std::vector<TensorShape> shapes = shapes_of(test::resnet50_parameters());
  for (const auto& [fraction, size] : {std::pair{"0.1", 10.2}, {"0.01", 1.02}, {"0.001", 0.102}}) {
    const std::string text = std::string{"mstopk:fraction="} + fraction + ",index_bytes=8";
    const auto transfers = parse_scheme(text)->transfers(shapes);
    EXPECT_NEAR(megabytes(transfers, "values"), size, 0.03 * size);
    EXPECT_DOUBLE_EQ(megabytes(transfers, "indices"), 2 * megabytes(transfers, "values"));
  }
  EXPECT_EQ(parse_scheme("topk:fraction=0.5")->transfers({{{1}}}).at(0).elements, Elements{1});
}

TEST(RandomK, NeedsNoIndexWhenTheRanksShareTheirSeed) {
  const auto shared = parse_scheme("randomk:fraction=0.1")->transfers({{{100}}});
  ASSERT_EQ(shared.size(), 1U);
  EXPECT_EQ(shared[0], (Transfer{"values", CollectiveKind::kAllReduce, Elements{10}, Bytes{4}}));
  const auto own = parse_scheme("randomk:fraction=0.1,shared_seed=false")->transfers({{{100}}});
  EXPECT_EQ(own.size(), 2U);
  EXPECT_FALSE(carried_by_all_reduce(own));
}

TEST(Casts, HalveOrKeepThePayload) {
  const std::vector<TensorShape> shapes = {{{3, 5}}, {{7}}};
  EXPECT_EQ(wire_bytes(parse_scheme("none")->transfers(shapes)), Bytes{22 * 4});
  EXPECT_EQ(wire_bytes(parse_scheme("fp16")->transfers(shapes)), Bytes{22 * 2});
  EXPECT_EQ(wire_bytes(parse_scheme("bf16")->transfers(shapes)), Bytes{22 * 2});
}

TEST(Schemes, SendNothingForNothing) {
  for (const SchemeEntry& entry : schemes()) {
    EXPECT_TRUE(parse_scheme(entry.name)->transfers({}).empty()) << entry.name;
  }
}

TEST(Schemes, AreReadBackFromTheirOwnSpelling) {
  for (const char* text :
       {"none", "powersgd:rank=7", "mstopk:fraction=0.001,rounds=100", "topk:index_bytes=8",
        "randomk:shared_seed=false", "ef-signsgd", "qsgd:bits=8"}) {
    const std::string spelling = parse_scheme(text)->spelling();
    EXPECT_EQ(parse_scheme(spelling)->spelling(), spelling);
  }
}

TEST(Schemes, UnknownNamesAndParametersAreRefusedWithTheKnownOnes) {
  EXPECT_EQ(test::input_error_of([] { parse_scheme("zip"); }),
            "compressor: \"zip\" is no known scheme; accepted: none, fp16, bf16, powersgd, "
            "signsgd, ef-signsgd, mstopk, topk, randomk, qsgd");
  EXPECT_EQ(test::input_error_of([] { parse_scheme("powersgd:ranks=4"); }),
            "powersgd has no parameter \"ranks\"; accepted: hook_sync, "
            "min_compression_rate, rank, start_iter");
  EXPECT_EQ(test::input_error_of([] { parse_scheme("signsgd:rank=4"); }),
            "signsgd has no parameter \"rank\"; accepted: none");
  for (const char* text :
       {"powersgd:rank=0", "powersgd:rank=four", "powersgd:rank", "topk:fraction=0",
        "topk:fraction=1.5", "topk:fraction=nan", "topk:index_bytes=5", "randomk:shared_seed=yes",
        "powersgd:rank=4,rank=8", "qsgd:bits=1", "qsgd:bits=17", "qsgd:bucket=0"}) {
    EXPECT_FALSE(test::input_error_of([&] { parse_scheme(text); }).empty()) << text;
  }
}

TEST(PowerSgd, StartIterAndHookSyncStandInTheSpellingWhereTheyAreNotUsual) {
  EXPECT_EQ(parse_scheme("powersgd:rank=2,start_iter=0,hook_sync=true")->spelling(),
            "powersgd:rank=2,min_compression_rate=0");
  const auto scheme = parse_scheme("powersgd:rank=2,start_iter=10,hook_sync=false");
  EXPECT_EQ(scheme->spelling(),
            "powersgd:rank=2,min_compression_rate=0,start_iter=10,hook_sync=false");
  // Neither changes what an exchange sends or, one after the other, asks of the device.
  const std::vector<TensorShape> tensors = {{{64, 32}}, {{64}}};
  const auto usual = parse_scheme("powersgd:rank=2");
  EXPECT_EQ(scheme->transfers(tensors), usual->transfers(tensors));
  EXPECT_EQ(scheme->work(tensors, 8).encode, usual->work(tensors, 8).encode);
  EXPECT_EQ(scheme->work(tensors, 8).decode, usual->work(tensors, 8).decode);
  EXPECT_EQ(usual->work(tensors, 8).hook_syncs, 1);
  EXPECT_EQ(scheme->work(tensors, 8).hook_syncs, 0);
  EXPECT_EQ(usual->work({{{64}}}, 8).hook_syncs, 0);  // nothing is decoded
}

}  // namespace
}  // namespace gradwire
