#include "platforms/model/torus.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/errors.hpp"

namespace gradwire {
namespace {

constexpr int links_along(int size) { return size > 2 ? 2 : size - 1; }

}  // namespace

Torus::Torus(std::vector<int> sizes, BitsPerSecond bandwidth, Seconds latency)
    : bandwidth_(bandwidth), latency_(latency) {
  if (sizes.empty()) throw InputError("torus.size: none found; one or more is accepted");
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  for (const int size : sizes) {
    if (size < 1) {
      throw InputError(fmt::format("torus.size: {} found; 1 or more is accepted", size));
    }
    dimensions_.push_back({size, nodes_, links_per_node_});
    links_per_node_ += links_along(size);
    const std::int64_t nodes = std::int64_t{nodes_} * size;
    if (nodes > kMost || nodes * links_per_node_ > kMost) {
      throw InputError(fmt::format("torus.size: {} has too many links; at most {} are accepted",
                                   fmt::join(sizes, " x "), kMost));
    }
    nodes_ = static_cast<int>(nodes);
  }
  if (links_per_node_ > 0 && (!(bandwidth.count() > 0.0) || !std::isfinite(bandwidth.count()))) {
    throw InputError(fmt::format("torus.bandwidth: {} bit/s found; more than zero is accepted",
                                 bandwidth.count()));
  }
}

std::string Torus::describe() const {
  std::vector<int> sizes;
  for (const Dimension& along : dimensions_) sizes.push_back(along.size);
  return fmt::format("torus of {}", fmt::join(sizes, " x "));
}

void Torus::append_path(int from, int to, std::vector<int>& path) const {
  int at = from;
  for (const Dimension& along : dimensions_) {
    const int here = at / along.stride % along.size;
    const int there = to / along.stride % along.size;
    const int upwards = (there - here + along.size) % along.size;
    const int downwards = along.size - upwards;
    const bool up = upwards < downwards || (upwards == downwards && here % 2 == 0);
    // A link of a dimension of size 2 leads up and down alike.
    const int link = along.first_link + (up || along.size == 2 ? 0 : 1);
    for (int hops = upwards == 0 ? 0 : std::min(upwards, downwards); hops > 0; --hops) {
      path.push_back(at * links_per_node_ + link);
      at = neighbour(at, along, up);
    }
  }
}

LinkEnds Torus::ends(int link) const {
  const int node = link / links_per_node_;
  const int number = link % links_per_node_;
  std::size_t dimension = 0;
  while (number >= dimensions_[dimension].first_link + links_along(dimensions_[dimension].size)) {
    ++dimension;
  }
  const Dimension& along = dimensions_[dimension];
  return {switch_of(node), switch_of(neighbour(node, along, number == along.first_link))};
}

std::string Torus::switch_of(int node) const { return fmt::format("node {}", node); }

int Torus::neighbour(int node, const Dimension& along, bool up) const {
  const int here = node / along.stride % along.size;
  const int there = (here + (up ? 1 : along.size - 1)) % along.size;
  return node + (there - here) * along.stride;
}

}  // namespace gradwire
