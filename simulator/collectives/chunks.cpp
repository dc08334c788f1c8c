#include "simulator/collectives/chunks.hpp"

#include <algorithm>

namespace gradwire {

std::vector<Elements> even_chunks(Elements elements, int parts) {
  const std::int64_t small = elements.count() / parts;
  const std::int64_t larger = elements.count() % parts;
  std::vector<Elements> chunks;
  for (int i = 0; i < parts; ++i) chunks.emplace_back(small + (i < larger ? 1 : 0));
  return chunks;
}

std::vector<Elements> chunk_bounds(Elements elements, int parts, Elements first) {
  std::vector<Elements> bounds = {first};
  for (const Elements chunk : even_chunks(elements, parts)) bounds.push_back(bounds.back() + chunk);
  return bounds;
}

Elements elements_before(Elements elements, int parts, int index) {
  const std::int64_t larger = elements.count() % parts;
  return Elements{elements.count() / parts * index + std::min<std::int64_t>(index, larger)};
}

int pipeline_chunks(Elements elements, Bytes element_size, Bytes chunk) {
  const std::int64_t wanted = ceil_divide((elements * element_size).count(), chunk.count());
  const std::int64_t most = std::max<std::int64_t>(1, elements.count());
  return static_cast<int>(std::clamp<std::int64_t>(wanted, 1, most));
}

}  // namespace gradwire
