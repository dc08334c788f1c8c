#include "simulator/report/cluster_graph.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "base/unit_text.hpp"
#include "simulator/report/switch_map.hpp"

namespace gradwire {
namespace {

constexpr std::size_t kMostEqual = 4;   // that hang on one switch; more are folded
constexpr std::size_t kMostMeshed = 8;  // switches of equal make, all joined to each other
constexpr std::size_t kMostNumbers = 4;

/// "node 5", "nodes 5, 7", "4 nodes".
std::string names_of(const std::vector<int>& nodes) {
  if (nodes.size() == 1) return fmt::format("node {}", nodes.front());
  if (nodes.size() <= kMostNumbers) return fmt::format("nodes {}", fmt::join(nodes, ", "));
  return fmt::format("{} nodes", nodes.size());
}

class ClusterArtist {
 public:
  explicit ClusterArtist(const Cluster& cluster) : cluster_(cluster), map_(cluster) {
    for (const SlowNic& slow : cluster.slow_nics) {
      odd_[slow.node].push_back(fmt::format("NIC at {:g} of its rate", slow.bandwidth_factor));
    }
    for (const DeviceSpeed& speed : cluster.speeds) {
      if (speed.node) {
        odd_[*speed.node].push_back(fmt::format("GPUs at {:g} of their speed", speed.factor));
      } else {
        const int gpu = *speed.gpu % cluster.gpus_per_node;
        odd_[cluster.node_of(*speed.gpu)].push_back(
            fmt::format("GPU {} at {:g} of its speed", gpu, speed.factor));
      }
    }
    for (std::size_t at = 0; at < map_.switches().size(); ++at) makes_.emplace_back();
    for (const int at : map_.core()) note_make(at);
  }

  ClusterGraph draw() {
    write_title();
    const std::vector<int> core = map_.core();
    const bool meshed = equal_mesh(core);
    if (core.size() > 1) {
      graph_.layout = meshed ? ClusterGraph::Layout::kCircle : ClusterGraph::Layout::kSprings;
    }
    std::size_t shown = core.size();
    if (meshed && core.size() > kMostMeshed) shown = kMostEqual;
    if (!meshed && core.size() > kMostSwitches) shown = kMostSwitches;
    std::map<int, int> box_of;
    for (std::size_t i = 0; i < shown; ++i) box_of[core[i]] = draw_switch(core[i]);
    int rest = -1;
    if (shown < core.size()) {
      const std::vector<int> left(core.begin() + static_cast<std::ptrdiff_t>(shown), core.end());
      rest = draw_rest(left, meshed ? "each joined to all others" : "and what joins them");
    }
    draw_core_lines(box_of, rest);
    return std::move(graph_);
  }

 private:
  const MappedSwitch& at(int index) const {
    return map_.switches()[static_cast<std::size_t>(index)];
  }

  /// Of a torus: a node that is its own switch.
  bool is_node_itself(int index) const {
    const MappedSwitch& found = at(index);
    return found.nodes.size() == 1 && found.name == fmt::format("node {}", found.nodes.front());
  }

  std::string oddness(int node) const {
    const auto found = odd_.find(node);
    return found == odd_.end() ? std::string{} : fmt::format("{}", fmt::join(found->second, "\n"));
  }

  /// Nodes of a switch by what is odd about them; those without first.
  std::map<std::string, std::vector<int>> groups_of(int index) const {
    std::map<std::string, std::vector<int>> groups;
    for (const int node : at(index).nodes) groups[oddness(node)].push_back(node);
    return groups;
  }

  /// What hangs on a switch and below it as a text: equal for equal makes.
  const std::string& note_make(int index) {
    std::string& make = makes_[static_cast<std::size_t>(index)];
    for (const auto& [odd, nodes] : groups_of(index)) {
      make += fmt::format("{} nodes {};", nodes.size(), odd);
    }
    std::vector<std::string> below;
    for (const int child : at(index).children) {
      below.push_back(
          fmt::format("({}: {})", at(index).trunks.at(child).label(), note_make(child)));
    }
    std::sort(below.begin(), below.end());
    make += fmt::format("{}", fmt::join(below, ""));
    return make;
  }

  bool equal_mesh(const std::vector<int>& core) const {
    if (core.size() < 3) return false;
    const std::string label = at(core[0]).trunks.begin()->second.label();
    for (const int index : core) {
      std::size_t joined = 0;
      for (const auto& [to, trunk] : at(index).trunks) {
        if (at(to).parent >= 0) continue;
        if (trunk.label() != label) return false;
        ++joined;
      }
      if (joined + 1 != core.size() || make(index) != make(core[0])) return false;
    }
    return true;
  }

  const std::string& make(int index) const { return makes_[static_cast<std::size_t>(index)]; }

  int add_box(DrawnBox::Kind kind, std::vector<std::string> lines) {
    graph_.boxes.push_back({kind, std::move(lines)});
    return static_cast<int>(graph_.boxes.size()) - 1;
  }

  void add_line(int upper, int lower, const std::string& label, BitsPerSecond rate) {
    graph_.lines.push_back({upper, lower, label, rate});
  }

  std::string node_words() const {
    std::string words = fmt::format("{} {}", cluster_.gpus_per_node,
                                    cluster_.device.empty() ? "GPU" : cluster_.device);
    if (cluster_.gpus_per_node > 1) {
      words += fmt::format(", {} inside", format_bandwidth(cluster_.intra.bandwidth));
    }
    return words;
  }

  std::string nic_words() const {
    std::string words = format_bandwidth(cluster_.nic.bandwidth);
    if (cluster_.nics_per_node > 1) words = fmt::format("{} x {}", cluster_.nics_per_node, words);
    return words;
  }

  std::vector<std::string> node_lines(const std::string& name, const std::string& odd) const {
    std::vector<std::string> lines{name, node_words()};
    for (std::size_t start = 0; start < odd.size();) {
      const std::size_t end = std::min(odd.find('\n', start), odd.size());
      lines.push_back(odd.substr(start, end - start));
      start = end + 1;
    }
    return lines;
  }

  /// With its nodes and what hangs on it. Returns its box.
  int draw_switch(int index) {
    if (is_node_itself(index)) {
      const std::string odd = oddness(at(index).nodes.front());
      return add_box(odd.empty() ? DrawnBox::Kind::kNodes : DrawnBox::Kind::kOdd,
                     node_lines(at(index).name, odd));
    }
    const int box = add_box(DrawnBox::Kind::kSwitch, {at(index).name});
    for (const auto& [odd, nodes] : groups_of(index)) {
      const std::string name = odd.empty() && nodes.size() > 1
                                   ? fmt::format("{} x node", nodes.size())
                                   : names_of(nodes);
      const int drawn = add_box(odd.empty() ? DrawnBox::Kind::kNodes : DrawnBox::Kind::kOdd,
                                node_lines(name, odd));
      const std::string each = nodes.size() > 1 ? "each " : "";
      add_line(box, drawn, each + nic_words(), cluster_.nic.bandwidth * cluster_.nics_per_node);
    }
    draw_children(index, box);
    return box;
  }

  void draw_children(int index, int box) {
    // By the first of each make, which keeps the order of the switches.
    std::vector<std::vector<int>> equals;
    for (const int child : at(index).children) {
      const auto same = std::find_if(equals.begin(), equals.end(), [&](const auto& found) {
        return make(found.front()) == make(child) &&
               at(index).trunks.at(found.front()) == at(index).trunks.at(child);
      });
      if (same == equals.end()) {
        equals.push_back({child});
      } else {
        same->push_back(child);
      }
    }
    for (const std::vector<int>& equal : equals) {
      const std::size_t shown = equal.size() > kMostEqual ? kMostEqual - 1 : equal.size();
      for (std::size_t i = 0; i < shown; ++i) {
        const Trunk& trunk = at(index).trunks.at(equal[i]);
        const int drawn = draw_switch(equal[i]);
        add_line(box, drawn, trunk.label(), std::max(trunk.out, trunk.back));
      }
      if (shown == equal.size()) continue;
      const std::vector<int> left(equal.begin() + static_cast<std::ptrdiff_t>(shown), equal.end());
      const Trunk& trunk = at(index).trunks.at(left.front());
      add_line(box, draw_rest(left, "the same as those beside"), "each " + trunk.label(),
               std::max(trunk.out, trunk.back));
    }
  }

  int nodes_below(int index) const {
    auto nodes = static_cast<int>(at(index).nodes.size());
    for (const int child : at(index).children) nodes += nodes_below(child);
    return nodes;
  }

  int draw_rest(const std::vector<int>& left, const std::string& remark) {
    int nodes = 0;
    for (const int index : left) nodes += nodes_below(index);
    const std::string names =
        left.size() == 1 ? at(left.front()).name
                         : fmt::format("{} to {}", at(left.front()).name, at(left.back()).name);
    return add_box(DrawnBox::Kind::kLeftOut,
                   {fmt::format("... {} more: {}", left.size(), names),
                    fmt::format("with {} node{}", nodes, nodes == 1 ? "" : "s"), remark});
  }

  void draw_core_lines(const std::map<int, int>& box_of, int rest) {
    for (const auto& [index, box] : box_of) {
      std::map<std::string, std::pair<int, double>> to_rest;  // by label: how many, their rate
      for (const auto& [to, trunk] : at(index).trunks) {
        if (at(to).parent >= 0) continue;
        const auto other = box_of.find(to);
        const BitsPerSecond rate = std::max(trunk.out, trunk.back);
        if (other == box_of.end()) {
          auto& [count, sum] = to_rest[trunk.label()];
          ++count;
          sum += rate.count();
        } else if (index < to) {
          add_line(box, other->second, trunk.label(), rate);
        }
      }
      for (const auto& [label, found] : to_rest) {
        const auto& [count, sum] = found;
        add_line(box, rest, count == 1 ? label : fmt::format("{} trunks of {}", count, label),
                 BitsPerSecond{sum / count});
      }
    }
  }

  void write_title() {
    graph_.title = cluster_.name;
    const auto note = [this](const std::string& text) { graph_.notes.push_back(text); };
    note(fmt::format("{} GPUs; {}", cluster_.gpus(),
                     cluster_.topology == nullptr ? "one switch" : cluster_.topology->describe()));
    if (cluster_.efficiency < 1.0) {
      note(
          fmt::format("rates are those of the wire, {:g} of them is payload", cluster_.efficiency));
    }
    if (cluster_.nics_per_node > 1) {
      note(cluster_.nic_use == NicUse::kStriped ? "messages are cut over all NICs of a node"
                                                : "a GPU uses one NIC of its node");
    }
    if (cluster_.host_cap) {
      note(fmt::format("a node's network stack moves {} at most",
                       format_bandwidth(*cluster_.host_cap)));
    }
    if (cluster_.flow_cap) {
      note(fmt::format("a message gets {} at most", format_bandwidth(*cluster_.flow_cap)));
    }
    if (cluster_.shaper) {
      note(fmt::format("NICs are shaped to {} after a burst of {}",
                       format_bandwidth(cluster_.shaper->rate),
                       format_bytes(cluster_.shaper->burst)));
    }
  }

  const Cluster& cluster_;
  SwitchMap map_;
  std::map<int, std::vector<std::string>> odd_;  // by node
  std::vector<std::string> makes_;               // by switch
  ClusterGraph graph_;
};

}  // namespace

ClusterGraph draw_cluster(const Cluster& cluster) { return ClusterArtist(cluster).draw(); }

}  // namespace gradwire
