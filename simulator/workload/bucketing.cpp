#include "simulator/workload/bucketing.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/errors.hpp"

namespace gradwire {
namespace {

/// The open bucket of one dtype and device, and the cap that it has to reach.
struct OpenBucket {
  Bucket bucket;
  Bytes cap{0};
};

using BucketKey = std::pair<DType, std::int32_t>;

void add_gradient(Bucket& bucket, std::size_t index, const ReadyGradient& gradient) {
  bucket.gradients.push_back(index);
  bucket.elements += gradient.elements;
  bucket.dtype = gradient.dtype;
  bucket.ready = std::max(bucket.ready, gradient.ready);
}

}  // namespace

std::vector<Bucket> make_buckets(const std::vector<ReadyGradient>& gradients,
                                 const BucketCaps& caps) {
  std::vector<Bucket> buckets;
  std::map<BucketKey, OpenBucket> open;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    const ReadyGradient& gradient = gradients[i];
    GW_CHECK(element_size(gradient.dtype).has_value(), "a gradient without an element size");
    const BucketKey key{gradient.dtype, gradient.device};
    const auto place = open.try_emplace(key, OpenBucket{{}, caps.first}).first;
    OpenBucket& current = place->second;
    add_gradient(current.bucket, i, gradient);
    if (current.bucket.bytes() >= current.cap) {
      buckets.push_back(std::exchange(current.bucket, Bucket{}));
      current.cap = caps.rest;
    }
  }

  const auto first_left = static_cast<std::ptrdiff_t>(buckets.size());
  for (auto& [key, left] : open) {
    if (!left.bucket.gradients.empty()) buckets.push_back(std::move(left.bucket));
  }
  std::sort(buckets.begin() + first_left, buckets.end(), [](const Bucket& a, const Bucket& b) {
    return a.gradients.front() < b.gradients.front();
  });
  return buckets;
}

}  // namespace gradwire
