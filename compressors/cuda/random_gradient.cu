#include "compressors/cuda/random_gradient.hpp"

#include "compressors/cuda/drawn_normal.hpp"
#include "compressors/cuda/element_kernels.hpp"

namespace gradwire {
namespace {

GW_KERNEL draw_all(RandomKey key, std::int64_t elements, float* to) {
  for_each_element(elements, [=](std::int64_t i) {
    to[i] = static_cast<float>(drawn_normal(random_bits(key, 0, static_cast<std::uint64_t>(i))));
  });
}

}  // namespace

void draw_gradient(RandomKey key, std::int64_t elements, float* to, Stream stream) {
  launch(draw_all, blocks_for(elements, kElementsABlock), kThreads, stream, key, elements, to);
}

}  // namespace gradwire
