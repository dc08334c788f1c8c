#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "platforms/model/network_link.hpp"
#include "platforms/model/topology.hpp"

namespace gradwire {

/// A network given by its links and by the way over them from every node to every other. A link may
/// lie on ways in both directions: then these share it.
class RoutedNetwork : public Topology {
 public:
  /// What the ways between so many nodes need is still small; they grow with the square.
  static constexpr int kMaxNodes = 512;

  /// `places`: by node, what its NICs lead to. `routes`: the links from node i to node j at
  /// i * nodes + j; none for i = j. Throws InputError for more than kMaxNodes nodes.
  RoutedNetwork(std::string description, std::vector<std::string> places,
                std::vector<NetworkLink> links, const std::vector<std::vector<int>>& routes);

  std::string describe() const override { return description_; }
  int nodes() const override { return static_cast<int>(places_.size()); }
  int links() const override { return static_cast<int>(links_.size()); }
  void append_path(int from, int to, std::vector<int>& path) const override;
  BitsPerSecond bandwidth(int link, BitsPerSecond) const override {
    return link_at(link).bandwidth;
  }
  Seconds latency(int link) const override { return link_at(link).latency; }
  LinkEnds ends(int link) const override { return link_at(link).ends; }
  std::string switch_of(int node) const override { return places_[static_cast<std::size_t>(node)]; }

 private:
  const NetworkLink& link_at(int link) const { return links_[static_cast<std::size_t>(link)]; }

  std::string description_;
  std::vector<std::string> places_;
  std::vector<NetworkLink> links_;
  std::vector<std::size_t> starts_;  // of the ways in `crossed_`, and its size
  std::vector<int> crossed_;
};

}  // namespace gradwire
