#include "platforms/model/fat_tree.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "base/errors.hpp"

namespace gradwire {
namespace {

void check_level(std::size_t level, const FatTreeLevel& found) {
  const auto refuse = [&](const std::string& what) {
    throw InputError(fmt::format("fat_tree_level {}: {}", level + 1, what));
  };
  if (found.children < 1) {
    refuse(fmt::format("{} children found; 1 or more is accepted", found.children));
  }
  if (!std::isfinite(found.oversubscription) || found.oversubscription < 1.0) {
    refuse(fmt::format("an oversubscription of {} found; a factor of 1 or more is accepted",
                       found.oversubscription));
  }
  if (found.links < 1) refuse(fmt::format("{} links found; 1 or more is accepted", found.links));
}

}  // namespace

FatTree::FatTree(int nodes, std::vector<FatTreeLevel> levels, Seconds latency)
    : nodes_(nodes), levels_(std::move(levels)), latency_(latency) {
  if (levels_.empty()) throw InputError("fat_tree_level: none found; one or more is accepted");
  std::int64_t span = 1;
  std::int64_t planes = 1;
  std::int64_t links = 0;
  level_starts_.push_back(0);
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    check_level(level, levels_[level]);
    if (level == 0 && levels_[0].children > nodes) {
      throw InputError(fmt::format("fat_tree_level 1: {} children found; 1 to {} is accepted",
                                   levels_[0].children, nodes));
    }
    span *= levels_[level].children;
    planes *= levels_[level].links;
    // As far as nodes need it: a switch that could hold more than there are holds them all.
    span = std::min<std::int64_t>(span, nodes);
    const std::int64_t switches = (nodes + span - 1) / span;
    links += 2 * switches * planes;
    if (links > std::numeric_limits<int>::max()) {
      throw InputError(fmt::format("fat_tree_level {}: its trunks have too many links", level + 1));
    }
    spans_.push_back(static_cast<int>(span));
    planes_.push_back(static_cast<int>(planes));
    level_starts_.push_back(static_cast<int>(links));
  }
}

std::string FatTree::describe() const {
  std::string words;
  for (std::size_t level = levels_.size(); level-- > 0;) {
    const int span = spans_[level];
    const int switches = (nodes_ + span - 1) / span;
    const bool leaf = level == 0;
    words += fmt::format("{}{} {} of {} {}", words.empty() ? "" : "; ", switches,
                         leaf ? "racks" : fmt::format("groups at level {}", level + 1),
                         levels_[level].children, leaf ? "nodes" : "switches");
    words += fmt::format(", oversubscribed {:g} to 1", levels_[level].oversubscription);
    if (levels_[level].links > 1) {
      words += fmt::format(", trunks of {} links taken by destination", planes_[level]);
    }
  }
  return words;
}

void FatTree::append_path(int from, int to, std::vector<int>& path) const {
  const int levels = static_cast<int>(levels_.size());
  int top = 0;
  while (top < levels && switch_at(top, from) != switch_at(top, to)) {
    path.push_back(link_at(top, switch_at(top, from), to, true));
    ++top;
  }
  for (int level = top; level-- > 0;) {
    path.push_back(link_at(level, switch_at(level, to), to, false));
  }
}

BitsPerSecond FatTree::bandwidth(int link, BitsPerSecond node) const {
  const auto level = static_cast<std::size_t>(place(link).level);
  double nodes_worth = 1.0;
  for (std::size_t below = 0; below <= level; ++below) {
    nodes_worth *= levels_[below].children / levels_[below].oversubscription;
  }
  return node * (nodes_worth / planes_[level]);
}

LinkEnds FatTree::ends(int link) const {
  const Place at = place(link);
  const auto level = static_cast<std::size_t>(at.level);
  const bool highest = level + 1 == levels_.size();
  const int owner_above = highest ? 0 : at.owner * spans_[level] / spans_[level + 1];
  // A switch of plane q stands under those of the planes that leave q over.
  const int plane_below = level == 0 ? 0 : at.plane % planes_[level - 1];
  const std::string below = name_at(at.level, at.owner, plane_below);
  const std::string above = name_at(at.level + 1, owner_above, at.plane);
  return at.up ? LinkEnds{below, above} : LinkEnds{above, below};
}

std::string FatTree::switch_of(int node) const { return name_at(0, switch_at(0, node), 0); }

FatTree::Place FatTree::place(int link) const {
  Place at;
  while (link >= level_starts_[static_cast<std::size_t>(at.level) + 1]) ++at.level;
  const int within = link - level_starts_[static_cast<std::size_t>(at.level)];
  const int planes = planes_[static_cast<std::size_t>(at.level)];
  at.up = within % 2 == 0;
  at.owner = within / 2 / planes;
  at.plane = within / 2 % planes;
  return at;
}

int FatTree::link_at(int level, int owner, int destination, bool up) const {
  const auto at = static_cast<std::size_t>(level);
  const int plane = destination % planes_[at];
  return level_starts_[at] + 2 * (owner * planes_[at] + plane) + (up ? 0 : 1);
}

std::string FatTree::name_at(int level, int owner, int plane) const {
  const int levels = static_cast<int>(levels_.size());
  const int planes = level == 0 ? 1 : planes_[static_cast<std::size_t>(level) - 1];
  std::string name = level == levels ? "core"
                     : level == 0    ? fmt::format("rack {}", owner)
                                     : fmt::format("level {} switch {}", level + 1, owner);
  if (planes > 1) name += fmt::format(" plane {}", plane);
  return name;
}

std::shared_ptr<const Topology> racks(int nodes, int nodes_per_rack, double oversubscription) {
  return std::make_shared<FatTree>(
      nodes, std::vector<FatTreeLevel>{{nodes_per_rack, oversubscription, 1}});
}

}  // namespace gradwire
