#include "simulator/workload/bucketing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/model_parameters.hpp"

namespace gradwire {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

ReadyGradient gradient(std::int64_t elements, double ready, DType dtype = DType::kFloat32,
                       std::int32_t device = 0) {
  ReadyGradient result;
  result.elements = Elements{elements};
  result.ready = Seconds{ready};
  result.dtype = dtype;
  result.device = device;
  return result;
}

/// The gradients of each bucket, in launch order.
std::vector<std::vector<std::size_t>> members(const std::vector<Bucket>& buckets) {
  std::vector<std::vector<std::size_t>> result;
  for (const Bucket& bucket : buckets) result.push_back(bucket.gradients);
  return result;
}

using Members = std::vector<std::size_t>;

// Caps of 40 and 100 bytes: 10 and 25 float32 elements.
constexpr BucketCaps kSmallCaps{Bytes{40}, Bytes{100}};

TEST(Bucketing, OfNothingMakesNoBucket) { EXPECT_THAT(make_buckets({}, BucketCaps{}), IsEmpty()); }

TEST(Bucketing, ABucketClosesWithTheGradientThatReachesItsCap) {
  // 5 + 5 elements are exactly 40 bytes; 24 are 96 bytes, one more element reaches 100.
  const std::vector<ReadyGradient> gradients = {gradient(5, 1), gradient(5, 2), gradient(24, 3),
                                                gradient(1, 4), gradient(3, 5)};
  EXPECT_THAT(members(make_buckets(gradients, kSmallCaps)),
              ElementsAre(Members{0, 1}, Members{2, 3}, Members{4}));
}

TEST(Bucketing, OneByteBelowTheCapLeavesABucketOpen) {
  // 39 bytes, then 4 more.
  const std::vector<ReadyGradient> gradients = {gradient(39, 1, DType::kInt8),
                                                gradient(4, 2, DType::kInt8)};
  EXPECT_THAT(members(make_buckets(gradients, kSmallCaps)), ElementsAre(Members{0, 1}));
}

TEST(Bucketing, AGradientAboveTheCapIsNotSplit) {
  const std::vector<ReadyGradient> gradients = {gradient(1'000, 1), gradient(1'000, 2)};
  EXPECT_THAT(members(make_buckets(gradients, kSmallCaps)), ElementsAre(Members{0}, Members{1}));
}

TEST(Bucketing, ABucketIsReadyWithTheLatestOfItsGradients) {
  // Two streams: the first gradient of the bucket is the later one.
  const std::vector<Bucket> buckets = make_buckets({gradient(4, 7), gradient(6, 5)}, kSmallCaps);
  ASSERT_EQ(buckets.size(), 1U);
  EXPECT_EQ(buckets[0].ready, Seconds{7});
  EXPECT_EQ(buckets[0].elements, Elements{10});
  EXPECT_EQ(buckets[0].bytes(), Bytes{40});
}

TEST(Bucketing, EachElementTypeHasItsOwnBucketsAndItsOwnFirstCap) {
  // float32 reaches its first cap with gradient 2, float16 (2 bytes) its own with gradient 3: 20
  // elements.
  const std::vector<ReadyGradient> gradients = {gradient(6, 1),  gradient(10, 2, DType::kFloat16),
                                                gradient(4, 3),  gradient(10, 4, DType::kFloat16),
                                                gradient(24, 5), gradient(1, 6)};
  const std::vector<Bucket> buckets = make_buckets(gradients, kSmallCaps);
  EXPECT_THAT(members(buckets), ElementsAre(Members{0, 2}, Members{1, 3}, Members{4, 5}));
  EXPECT_EQ(buckets[1].dtype, DType::kFloat16);
  EXPECT_EQ(buckets[1].bytes(), Bytes{40});
}

TEST(Bucketing, EachDeviceHasItsOwnBuckets) {
  const std::vector<ReadyGradient> gradients = {gradient(5, 1), gradient(5, 2, DType::kFloat32, 1),
                                                gradient(5, 3)};
  EXPECT_THAT(members(make_buckets(gradients, kSmallCaps)), ElementsAre(Members{0, 2}, Members{1}));
}

TEST(Bucketing, UnfilledBucketsComeLastByTheirFirstGradient) {
  // Gradient 1 opens float16, 2 opens float64, 0 opens float32; 3 to 5 add to them in another
  // order; 6 closes int32.
  const std::vector<ReadyGradient> gradients = {gradient(1, 1),
                                                gradient(1, 2, DType::kFloat16),
                                                gradient(1, 3, DType::kFloat64),
                                                gradient(1, 4, DType::kFloat64),
                                                gradient(1, 5, DType::kFloat16),
                                                gradient(1, 6),
                                                gradient(10, 7, DType::kInt32)};
  EXPECT_THAT(members(make_buckets(gradients, kSmallCaps)),
              ElementsAre(Members{6}, Members{0, 5}, Members{1, 4}, Members{2, 3}));
}

TEST(Bucketing, CapsOfZeroGiveEachGradientItsOwnBucket) {
  const std::vector<ReadyGradient> gradients = {gradient(3, 1), gradient(2, 2), gradient(1, 3)};
  EXPECT_EQ(make_buckets(gradients, {Bytes{0}, Bytes{0}}).size(), 3U);
}

TEST(Bucketing, CapsAboveTheModelGiveOneBucket) {
  const auto gradients = test::reverse_order_gradients(test::resnet50_parameters());
  EXPECT_EQ(make_buckets(gradients, {Bytes{1} * (1LL << 40), Bytes{1}}).size(), 1U);
}

TEST(BucketCaps, DefaultToOneAndTwentyFiveMebibytes) {
  EXPECT_EQ(BucketCaps{}.first, Bytes{1'048'576});
  EXPECT_EQ(BucketCaps{}.rest, Bytes{26'214'400});
}

}  // namespace
}  // namespace gradwire
