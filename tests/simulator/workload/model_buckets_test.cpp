#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulator/workload/bucketing.hpp"
#include "tests/support/model_parameters.hpp"

namespace gradwire {
namespace {

using test::Parameter;
using ::testing::ElementsAre;

constexpr double kMebibyte = 1024.0 * 1024.0;
constexpr double kRounding = 0.005;  // the lists below have two decimals

Elements total(const std::vector<Parameter>& parameters) {
  Elements sum{0};
  for (const Parameter& parameter : parameters) sum += parameter.elements();
  return sum;
}

std::size_t matrices(const std::vector<Parameter>& parameters) {
  std::size_t count = 0;
  for (const Parameter& parameter : parameters) count += parameter.shape.size() > 1 ? 1 : 0;
  return count;
}

std::vector<Bucket> buckets_of(const std::vector<Parameter>& parameters, const BucketCaps& caps) {
  return make_buckets(test::reverse_order_gradients(parameters), caps);
}

void expect_sizes(const std::vector<Bucket>& buckets, const std::vector<double>& mebibytes,
                  double tolerance = kRounding) {
  ASSERT_EQ(buckets.size(), mebibytes.size());
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(buckets[i].bytes().count()) / kMebibyte, mebibytes[i],
                tolerance)
        << "bucket " << i;
  }
}

// PyTorch takes bucket_cap_mb as MiB.
BucketCaps caps_of(std::int64_t rest_mebibytes) {
  return {Bytes{1024 * 1024}, Bytes{rest_mebibytes * 1024 * 1024}};
}

std::vector<Parameter> chinese_bert() { return test::bert_base_parameters(21'128, 5); }
std::vector<Parameter> english_bert() { return test::bert_base_parameters(30'522, 2); }

/// A first bucket, `count` equal ones, and a last one.
std::vector<double> row(double first, std::size_t count, double middle, double last) {
  std::vector<double> sizes(count + 2, middle);
  sizes.front() = first;
  sizes.back() = last;
  return sizes;
}

// Totals and tensor counts as the models' authors publish them (torchvision's num_params; BERT-base
// has 109.5 M).
TEST(ModelParameters, HavePublishedTensorCountsAndTotals) {
  EXPECT_EQ(test::resnet50_parameters().size(), 161U);
  EXPECT_EQ(total(test::resnet50_parameters()), Elements{25'557'032});
  EXPECT_EQ(test::resnet101_parameters().size(), 314U);
  EXPECT_EQ(total(test::resnet101_parameters()), Elements{44'549'160});
  EXPECT_EQ(chinese_bert().size(), 201U);
  EXPECT_EQ(total(chinese_bert()), Elements{102'271'493});
  EXPECT_EQ(english_bert().size(), 201U);
  EXPECT_EQ(total(english_bert()), Elements{109'483'778});
}

TEST(ModelParameters, HaveTheCountsOfMatricesThatPowerSgdSees) {
  EXPECT_EQ(matrices(test::resnet50_parameters()), 54U);
  EXPECT_EQ(matrices(test::resnet101_parameters()), 105U);
  EXPECT_EQ(matrices(chinese_bert()), 77U);
}

// The five all-reduces that a real DDP run of ResNet-50 on two A100 shows in its trace
// (hta-resnet50-ddp2-a100).
TEST(ModelBuckets, OfResNet50AreTheFiveAllReducesOfARealDdpTrace) {
  std::vector<std::int64_t> elements;
  for (const Bucket& bucket : buckets_of(test::resnet50_parameters(), BucketCaps{})) {
    elements.push_back(bucket.elements.count());
  }
  EXPECT_THAT(elements, ElementsAre(2'049'000, 7'875'584, 6'563'840, 6'637'568, 2'431'040));
}

// The lists in MiB below were worked out from the shapes beforehand, apart from this code.
TEST(ModelBuckets, OfResNet50Are) {
  expect_sizes(buckets_of(test::resnet50_parameters(), BucketCaps{}),
               {7.82, 30.04, 25.04, 25.32, 9.27});
}

TEST(ModelBuckets, OfResNet101Are) {
  expect_sizes(buckets_of(test::resnet101_parameters(), BucketCaps{}),
               {7.82, 30.04, 25.04, 26.57, 25.57, 25.57, 25.14, 4.19});
}

// The last bucket holds the word embedding, which no gradient comes after.
TEST(ModelBuckets, OfChineseBertEndInTheWordEmbedding) {
  const std::vector<Bucket> buckets = buckets_of(chinese_bert(), BucketCaps{});
  expect_sizes(buckets, row(2.27, 12, 27.04, 63.41));
  EXPECT_EQ(buckets.back().gradients.back(), 200U);
}

TEST(ModelBuckets, OfChineseBertWithTheStudysCapOf45MiBAre) {
  expect_sizes(buckets_of(chinese_bert(), caps_of(45)), row(2.27, 7, 45.06, 72.43), 0.015);
}

TEST(ModelBuckets, OfEnglishBertHaveALargerLastOne) {
  const auto last = [](std::int64_t cap) {
    return static_cast<double>(buckets_of(english_bert(), caps_of(cap)).back().bytes().count()) /
           kMebibyte;
  };
  EXPECT_NEAR(last(25), 90.93, kRounding);
  EXPECT_NEAR(last(45), 99.95, kRounding);
}

}  // namespace
}  // namespace gradwire
