#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <utility>

#include "simulator/workload/bucketing.hpp"

namespace gradwire {
namespace {

using Key = std::pair<DType, std::int32_t>;

struct Case {
  std::vector<ReadyGradient> gradients;
  BucketCaps caps;
};

/// Up to 60 gradients of up to 3 element types on up to 2 devices, with caps in the range of their
/// sizes.
Case random_case(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto up_to = [&random](std::uint32_t limit) {
    return static_cast<std::int64_t>(random() % (limit + 1));
  };
  constexpr DType kTypes[] = {DType::kFloat32, DType::kFloat16, DType::kInt8};
  Case result;
  result.caps = {Bytes{up_to(400)}, Bytes{up_to(2'000)}};
  const std::int64_t count = up_to(60);
  for (std::int64_t i = 0; i < count; ++i) {
    ReadyGradient gradient;
    gradient.elements = Elements{up_to(300)};
    gradient.dtype = kTypes[up_to(2)];
    gradient.device = static_cast<std::int32_t>(up_to(1));
    gradient.ready = Seconds{static_cast<double>(i)};
    result.gradients.push_back(gradient);
  }
  return result;
}

Key key_of(const ReadyGradient& gradient) { return {gradient.dtype, gradient.device}; }

/// A random case and its buckets.
struct Sample {
  explicit Sample(std::uint32_t seed)
      : input(random_case(seed)), buckets(make_buckets(input.gradients, input.caps)) {}

  Key key_of_bucket(const Bucket& bucket) const {
    return key_of(input.gradients[bucket.gradients.front()]);
  }

  Case input;
  std::vector<Bucket> buckets;
};

template <class Property>
void for_each_sample(Property property) {
  for (std::uint32_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(seed);
    property(Sample(seed));
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(BucketingProperty, EveryGradientIsInExactlyOneBucket) {
  for_each_sample([](const Sample& sample) {
    std::vector<int> seen(sample.input.gradients.size(), 0);
    for (const Bucket& bucket : sample.buckets) {
      ASSERT_FALSE(bucket.gradients.empty());
      for (const std::size_t index : bucket.gradients) ++seen.at(index);
    }
    EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }));
  });
}

TEST(BucketingProperty, ABucketHoldsOneElementTypeAndOneDeviceInReadyOrder) {
  for_each_sample([](const Sample& sample) {
    for (const Bucket& bucket : sample.buckets) {
      EXPECT_TRUE(std::is_sorted(bucket.gradients.begin(), bucket.gradients.end()));
      Elements elements{0};
      for (const std::size_t index : bucket.gradients) {
        const ReadyGradient& gradient = sample.input.gradients[index];
        EXPECT_EQ(key_of(gradient), sample.key_of_bucket(bucket));
        EXPECT_EQ(gradient.dtype, bucket.dtype);
        elements += gradient.elements;
      }
      EXPECT_EQ(bucket.elements, elements);
      EXPECT_EQ(bucket.ready, sample.input.gradients[bucket.gradients.back()].ready);
    }
  });
}

TEST(BucketingProperty, BucketsOfOneKindFollowEachOtherInReadyOrder) {
  for_each_sample([](const Sample& sample) {
    std::map<Key, std::size_t> last;
    for (const Bucket& bucket : sample.buckets) {
      const auto [place, is_new] =
          last.try_emplace(sample.key_of_bucket(bucket), bucket.gradients.back());
      if (!is_new) {
        EXPECT_GT(bucket.gradients.front(), place->second);
        place->second = bucket.gradients.back();
      }
    }
  });
}

// Which cap: the first for the first bucket of a kind, the other for the rest.
TEST(BucketingProperty, OnlyTheLastBucketOfAKindIsUnderItsCap) {
  for_each_sample([](const Sample& sample) {
    std::map<Key, std::size_t> number;
    std::map<Key, std::size_t> count;
    for (const Bucket& bucket : sample.buckets) ++count[sample.key_of_bucket(bucket)];
    for (const Bucket& bucket : sample.buckets) {
      const Key key = sample.key_of_bucket(bucket);
      const std::size_t position = number[key]++;
      const BucketCaps& caps = sample.input.caps;
      const Bytes cap = position == 0 ? caps.first : caps.rest;
      if (position + 1 < count[key]) {
        EXPECT_GE(bucket.bytes(), cap);
      }
      // It closed with the gradient that reached the cap, not later.
      if (bucket.gradients.size() > 1) {
        EXPECT_LT(bucket.bytes() - sample.input.gradients[bucket.gradients.back()].bytes(), cap);
      }
    }
  });
}

TEST(BucketingProperty, FilledBucketsComeInTheOrderInWhichTheyFill) {
  for_each_sample([](const Sample& sample) {
    std::map<Key, std::size_t> number;
    std::vector<std::size_t> filled;
    bool unfilled_seen = false;
    for (const Bucket& bucket : sample.buckets) {
      const Bytes cap = number[sample.key_of_bucket(bucket)]++ == 0 ? sample.input.caps.first
                                                                    : sample.input.caps.rest;
      const bool is_filled = bucket.bytes() >= cap;
      EXPECT_FALSE(is_filled && unfilled_seen) << "a filled bucket behind an unfilled one";
      unfilled_seen = unfilled_seen || !is_filled;
      if (is_filled) filled.push_back(bucket.gradients.back());
    }
    EXPECT_TRUE(std::is_sorted(filled.begin(), filled.end()));
  });
}

}  // namespace
}  // namespace gradwire
