#include "platforms/model/routed_network.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"

namespace gradwire {

RoutedNetwork::RoutedNetwork(std::string description, std::vector<std::string> places,
                             std::vector<NetworkLink> links,
                             const std::vector<std::vector<int>>& routes)
    : description_(std::move(description)), places_(std::move(places)), links_(std::move(links)) {
  if (places_.size() > static_cast<std::size_t>(kMaxNodes)) {
    throw InputError(
        fmt::format("{} nodes with a way of its own for every pair found; at most {} "
                    "are accepted, as ways grow with the square",
                    places_.size(), kMaxNodes));
  }
  GW_CHECK(routes.size() == places_.size() * places_.size(), "a way for every two nodes");
  starts_.push_back(0);
  for (const std::vector<int>& route : routes) {
    for (const int link : route) {
      GW_CHECK(link >= 0 && link < RoutedNetwork::links(), "ways go over the network's links");
    }
    crossed_.insert(crossed_.end(), route.begin(), route.end());
    starts_.push_back(crossed_.size());
  }
}

void RoutedNetwork::append_path(int from, int to, std::vector<int>& path) const {
  const std::size_t way =
      static_cast<std::size_t>(from) * places_.size() + static_cast<std::size_t>(to);
  const auto at = [&](std::size_t number) {
    return crossed_.begin() + static_cast<std::ptrdiff_t>(starts_[number]);
  };
  path.insert(path.end(), at(way), at(way + 1));
}

}  // namespace gradwire
