#include "simulator/gloo/gloo_ring.hpp"

#include <algorithm>

namespace gradwire {

GlooSegments gloo_segments(Elements elements, Bytes element_size, int ranks, Bytes largest) {
  const std::int64_t size = element_size.count();
  const std::int64_t limit = size * std::max<std::int64_t>(1, largest.count() / size);
  const std::int64_t total = (elements * element_size).count();
  const std::int64_t wanted =
      std::max(ceil_divide(total, limit), std::int64_t{2} * std::int64_t{ranks});
  GlooSegments segments;
  segments.count = ceil_divide(wanted, ranks) * ranks;
  segments.bytes = Bytes{ceil_divide(ceil_divide(total, segments.count), size) * size};
  return segments;
}

Bytes gloo_bytes_a_pass(Elements elements, Bytes element_size, int ranks, Bytes largest) {
  const GlooSegments segments = gloo_segments(elements, element_size, ranks, largest);
  const std::int64_t sent = segments.count - segments.count / ranks;
  return std::min(segments.bytes * sent, elements * element_size);
}

}  // namespace gradwire
