#include "simulator/engine/simgrid/link_events.hpp"

#include <algorithm>
#include <limits>

#include "simulator/engine/simgrid/clock.hpp"
#include "simulator/engine/simgrid/simgrid_versions.hpp"

namespace gradwire {
namespace {

constexpr double kFailedShare = 1e-9;
constexpr double kLeastBytesPerSecond = 1e-3;  // SimGrid takes less than 1e-5 as none, so boundless

double capacity(double whole, double factor) {
  if (factor > 0.0) return whole * factor;
  return std::max(whole * kFailedShare, std::min(whole, kLeastBytesPerSecond));
}

}  // namespace

LinkEvents::LinkEvents(const std::vector<CapacityChange>& changes) : changes_(changes) {}

std::vector<std::pair<Seconds, double>> LinkEvents::history(int link) const {
  std::vector<std::pair<Seconds, double>> history;
  for (const CapacityChange& change : changes_) {
    if (change.link == link) history.emplace_back(change.at, change.factor);
  }
  return history;
}

void LinkEvents::add_link(int link, simgrid::s4u::Link* made) {
  const bool changes = std::any_of(changes_.begin(), changes_.end(),
                                   [&](const CapacityChange& one) { return one.link == link; });
  if (changes) played_[link] = {made, made->get_bandwidth(), 1.0};
}

void LinkEvents::begin(const std::function<void()>& failed) {
  for (const CapacityChange& change : changes_) {
    const auto played = played_.find(change.link);
    if (played == played_.end()) continue;
    const auto happens = [this, &of = played->second, factor = change.factor, failed] {
      apply(of, factor);
      if (factor == 0.0) failed();
    };
    change.at.count() == 0.0 ? happens() : (void)after(change.at.count(), happens);
  }
}

void LinkEvents::start(simgrid::s4u::Comm& comm) {
  for (auto& [link, played] : played_) {
    if (played.factor != 1.0) played.link->set_bandwidth(played.whole);
  }
  start_when_ready(comm);
  for (auto& [link, played] : played_) {
    if (played.factor != 1.0) apply(played, played.factor);
  }
}

const CapacityChange* LinkEvents::lost(const std::vector<int>& links) const {
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    const CapacityChange& change = changes_[i];
    const bool last = i + 1 == changes_.size() || changes_[i + 1].link != change.link;
    const auto played = played_.find(change.link);
    if (!last || change.factor != 0.0 || played == played_.end() || played->second.factor != 0.0)
      continue;
    if (std::find(links.begin(), links.end(), change.link) != links.end()) return &change;
  }
  return nullptr;
}

double LinkEvents::down_within(const std::vector<int>& links, double from, double until) const {
  std::vector<std::pair<double, double>> downs;  // begin and end
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    const CapacityChange& change = changes_[i];
    if (change.factor != 0.0) continue;
    if (std::find(links.begin(), links.end(), change.link) == links.end()) continue;
    const bool mended = i + 1 < changes_.size() && changes_[i + 1].link == change.link;
    downs.emplace_back(change.at.count(), mended ? changes_[i + 1].at.count()
                                                 : std::numeric_limits<double>::infinity());
  }
  std::sort(downs.begin(), downs.end());
  double down = 0.0;
  for (const auto& [begin, end] : downs) {
    const double counted = std::max(from, begin);
    const double stop = std::min(until, end);
    if (stop <= counted) continue;
    down += stop - counted;
    from = stop;
  }
  return down;
}

void LinkEvents::apply(Played& played, double factor) {
  played.factor = factor;
  played.link->set_bandwidth(capacity(played.whole, factor));
}

}  // namespace gradwire
