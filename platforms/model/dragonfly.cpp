#include "platforms/model/dragonfly.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/errors.hpp"

namespace gradwire {
namespace {

[[noreturn]] void refuse(const char* field, const std::string& what) {
  throw InputError(fmt::format("dragonfly.{}: {}", field, what));
}

void check_count(const char* field, int found) {
  if (found < 1) refuse(field, fmt::format("{} found; 1 or more is accepted", found));
}

void check_bandwidth(const char* field, BitsPerSecond found) {
  if (!(found.count() > 0.0) || !std::isfinite(found.count())) {
    refuse(field, fmt::format("{} bit/s found; more than zero is accepted", found.count()));
  }
}

}  // namespace

Dragonfly::Dragonfly(const DragonflyShape& shape) : shape_(shape) {
  check_count("groups", shape.groups);
  check_count("routers", shape.routers);
  check_count("nodes_per_router", shape.nodes_per_router);
  const std::int64_t others = shape.groups - 1;
  global_links_ = shape.global_links.value_or(static_cast<int>(ceil_divide(others, shape.routers)));
  if (shape.global_links) check_count("global_links", *shape.global_links);
  const std::int64_t ports = std::int64_t{shape.routers} * global_links_;
  if (ports < others) {
    refuse("global_links", fmt::format("{} of each of {} routers reach {} groups, there are {} "
                                       "others; {} or more is accepted",
                                       global_links_, shape.routers, ports, others,
                                       ceil_divide(others, shape.routers)));
  }
  if (shape.routers > 1) check_bandwidth("local_bandwidth", shape.local_bandwidth);
  if (shape.groups > 1) check_bandwidth("global_bandwidth", shape.global_bandwidth);
  // As doubles, which no count here overflows.
  const double routers = static_cast<double>(shape.groups) * shape.routers;
  constexpr double kMost = std::numeric_limits<int>::max();
  const double links = routers * (shape.routers - 1) + routers * global_links_;
  if (routers * shape.nodes_per_router > kMost || links > kMost) {
    refuse("groups", fmt::format("{:.3g} nodes and {:.3g} links found; at most {:.3g} are accepted",
                                 routers * shape.nodes_per_router, links, kMost));
  }
  between_ = others == 0 ? 0 : static_cast<int>(ports / others);
  ports_ = between_ * (shape.groups - 1);
  first_global_ = shape.groups * shape.routers * (shape.routers - 1);
}

std::string Dragonfly::describe() const {
  std::string words =
      fmt::format("dragonfly of {} groups of {} {} of {} nodes", shape_.groups, shape_.routers,
                  shape_.routers == 1 ? "router" : "routers", shape_.nodes_per_router);
  if (between_ > 0) {
    words +=
        fmt::format(", {} {} between every two groups", between_, between_ == 1 ? "link" : "links");
  }
  return words;
}

void Dragonfly::append_path(int from, int to, std::vector<int>& path) const {
  int at = router_of(from);
  const int destination = router_of(to);
  if (at / shape_.routers != destination / shape_.routers) {
    const Port port = way_out(at, destination, to);
    if (at != router_at(port)) path.push_back(local_link(at, router_at(port)));
    path.push_back(first_global_ + port.group * ports_ + port.port);
    at = router_at(peer(port));
  }
  if (at != destination) path.push_back(local_link(at, destination));
}

BitsPerSecond Dragonfly::bandwidth(int link, BitsPerSecond) const {
  return link < first_global_ ? shape_.local_bandwidth : shape_.global_bandwidth;
}

LinkEnds Dragonfly::ends(int link) const {
  if (link >= first_global_) {
    const Port port{(link - first_global_) / ports_, (link - first_global_) % ports_};
    return {name(router_at(port)), name(router_at(peer(port)))};
  }
  const int others = shape_.routers - 1;
  const int from = link / others;
  const int number = link % others;  // of the other routers, the own one left out
  const int to = number + (number >= from % shape_.routers ? 1 : 0);
  return {name(from), name(from - from % shape_.routers + to)};
}

std::string Dragonfly::switch_of(int node) const { return name(router_of(node)); }

Dragonfly::Port Dragonfly::peer(Port port) const {
  return {(port.group + 1 + port.port / between_) % shape_.groups, ports_ - 1 - port.port};
}

int Dragonfly::local_link(int from, int to) const {
  const int number = to % shape_.routers;
  return from * (shape_.routers - 1) + number - (number > from % shape_.routers ? 1 : 0);
}

Dragonfly::Port Dragonfly::way_out(int from, int to_router, int to) const {
  const int group = from / shape_.routers;
  const int ahead = to_router / shape_.routers - group;
  const int offset = ahead > 0 ? ahead : ahead + shape_.groups;
  const auto nth = [&](int copy) { return Port{group, (offset - 1) * between_ + copy}; };
  const auto local_hops = [&](Port port) {
    return (router_at(port) == from ? 0 : 1) + (router_at(peer(port)) == to_router ? 0 : 1);
  };
  int fewest = 3;
  int equal = 0;
  for (int copy = 0; copy < between_; ++copy) {
    const int hops = local_hops(nth(copy));
    if (hops < fewest) equal = 0;
    fewest = std::min(fewest, hops);
    if (hops == fewest) ++equal;
  }
  int skipped = to % equal;
  int copy = 0;
  while (local_hops(nth(copy)) != fewest || skipped-- > 0) ++copy;
  return nth(copy);
}

std::string Dragonfly::name(int router) const {
  return fmt::format("group {} router {}", router / shape_.routers, router % shape_.routers);
}

}  // namespace gradwire
