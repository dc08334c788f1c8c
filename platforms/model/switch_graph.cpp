#include "platforms/model/switch_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/errors.hpp"

namespace gradwire {
namespace {

constexpr std::uint16_t kNoWay = std::numeric_limits<std::uint16_t>::max();

void check_cable(std::size_t number, const Cable& cable) {
  const auto refuse = [&](const std::string& what) {
    throw InputError(fmt::format("graph.link {}: {}", number, what));
  };
  if (cable.from.empty() || cable.to.empty()) refuse("one end has no name; both need one");
  if (cable.from == cable.to) {
    refuse(fmt::format("from {} to itself; two switches are accepted", cable.from));
  }
  if (!(cable.bandwidth.count() > 0.0) || !std::isfinite(cable.bandwidth.count())) {
    refuse(fmt::format("{} bit/s found; more than zero is accepted", cable.bandwidth.count()));
  }
  if (!(cable.latency.count() >= 0.0) || !std::isfinite(cable.latency.count())) {
    refuse(fmt::format("{} s found; zero or more is accepted", cable.latency.count()));
  }
}

}  // namespace

SwitchGraph::SwitchGraph(const std::vector<Cable>& cables,
                         const std::vector<std::string>& switch_of_node) {
  if (cables.empty()) throw InputError("graph.link: none found; one or more is accepted");
  std::map<std::string, int> known;
  const auto number_of = [&](const std::string& name) {
    const auto [found, added] = known.try_emplace(name, static_cast<int>(switches_.size()));
    if (added) {
      switches_.push_back(name);
      outgoing_.emplace_back();
    }
    return found->second;
  };
  const auto add_link = [&](int tail, int head, NetworkLink link) {
    outgoing_[static_cast<std::size_t>(tail)].push_back(static_cast<int>(links_.size()));
    heads_.push_back(head);
    links_.push_back(std::move(link));
  };
  for (const Cable& cable : cables) {
    check_cable(links_.size() / 2 + 1, cable);
    const int from = number_of(cable.from);
    const int to = number_of(cable.to);
    add_link(from, to, {{cable.from, cable.to}, cable.bandwidth, cable.latency});
    add_link(to, from, {{cable.to, cable.from}, cable.bandwidth, cable.latency});
  }
  place_nodes(switch_of_node);
  measure_distances();
  refuse_separate_nodes();
}

void SwitchGraph::place_nodes(const std::vector<std::string>& switch_of_node) {
  std::map<std::string, int> numbers;
  for (std::size_t i = 0; i < switches_.size(); ++i) numbers[switches_[i]] = static_cast<int>(i);
  std::vector<int> carrier_of(switches_.size(), -1);
  for (const std::string& name : switch_of_node) {
    const auto found = numbers.find(name);
    if (found == numbers.end()) {
      throw InputError(
          fmt::format("graph.node: node {} is on \"{}\", which no link joins; a switch that a link "
                      "names is accepted",
                      places_.size(), name));
    }
    int& carrier = carrier_of[static_cast<std::size_t>(found->second)];
    if (carrier < 0) {
      carrier = static_cast<int>(carriers_.size());
      carriers_.push_back(found->second);
    }
    places_.push_back(carrier);
  }
}

void SwitchGraph::measure_distances() {
  const std::size_t switches = switches_.size();
  if (static_cast<std::int64_t>(carriers_.size() * switches) > kMostDistances ||
      switches >= kNoWay) {
    throw InputError(
        fmt::format("graph: {} switches with nodes among {} found; a product of at "
                    "most {} is accepted",
                    carriers_.size(), switches, kMostDistances));
  }
  distances_.assign(carriers_.size() * switches, kNoWay);
  std::vector<int> queue;
  for (std::size_t carrier = 0; carrier < carriers_.size(); ++carrier) {
    // Every link has one back, so distances from a switch are those to it.
    const auto row = distances_.begin() + static_cast<std::ptrdiff_t>(carrier * switches);
    queue.assign(1, carriers_[carrier]);
    row[carriers_[carrier]] = 0;
    for (std::size_t next = 0; next < queue.size(); ++next) {
      const int at = queue[next];
      for (const int link : outgoing_[static_cast<std::size_t>(at)]) {
        const int head = heads_[static_cast<std::size_t>(link)];
        if (row[head] != kNoWay) continue;
        row[head] = static_cast<std::uint16_t>(row[at] + 1);
        queue.push_back(head);
      }
    }
  }
}

void SwitchGraph::refuse_separate_nodes() const {
  for (std::size_t node = 1; node < places_.size(); ++node) {
    const int place = carriers_[static_cast<std::size_t>(places_[node])];
    if (distance(place, places_[0]) != kNoWay) continue;
    throw InputError(
        fmt::format("graph: no way leads from node 0 (on {}) to node {} (on {}); one "
                    "between every two nodes is needed",
                    switch_of(0), node, switch_of(static_cast<int>(node))));
  }
}

std::string SwitchGraph::describe() const {
  return fmt::format("graph of {} switches and {} cables", switches_.size(), links_.size() / 2);
}

void SwitchGraph::append_path(int from, int to, std::vector<int>& path) const {
  const int carrier = places_[static_cast<std::size_t>(to)];
  int at = carriers_[static_cast<std::size_t>(places_[static_cast<std::size_t>(from)])];
  int choice = to;
  for (int left = distance(at, carrier); left > 0; --left) {
    const std::vector<int>& links = outgoing_[static_cast<std::size_t>(at)];
    const auto leads_on = [&](int link) {
      return distance(heads_[static_cast<std::size_t>(link)], carrier) == left - 1;
    };
    const auto ways = static_cast<int>(std::count_if(links.begin(), links.end(), leads_on));
    int skipped = choice % ways;
    choice /= ways;
    const auto taken = std::find_if(links.begin(), links.end(),
                                    [&](int link) { return leads_on(link) && skipped-- == 0; });
    path.push_back(*taken);
    at = heads_[static_cast<std::size_t>(*taken)];
  }
}

BitsPerSecond SwitchGraph::bandwidth(int link, BitsPerSecond) const {
  return link_at(link).bandwidth;
}

std::string SwitchGraph::switch_of(int node) const {
  const int carrier = places_[static_cast<std::size_t>(node)];
  return switches_[static_cast<std::size_t>(carriers_[static_cast<std::size_t>(carrier)])];
}

int SwitchGraph::distance(int from, int carrier) const {
  return distances_[static_cast<std::size_t>(carrier) * switches_.size() +
                    static_cast<std::size_t>(from)];
}

}  // namespace gradwire
