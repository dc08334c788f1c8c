#pragma once

#include <functional>
#include <map>
#include <simgrid/s4u.hpp>
#include <vector>

#include "simulator/scenario/network_conditions.hpp"

namespace gradwire {

/// Links whose capacity changes while a plan is played. SimGrid lowers the capacity under a running
/// flow, but a flow keeps for ever what was the least of its links when it started; so every flow
/// is started here, on links that are whole at that moment. A failed link keeps a billionth of its
/// capacity, because SimGrid takes 0 as boundless.
class LinkEvents {
 public:
  /// `changes` by link and time, at most one of a link at a time. It must outlive this.
  explicit LinkEvents(const std::vector<CapacityChange>& changes);

  /// What happens to `link` (of the cluster's LinkTable), by time: links of equal histories may
  /// stand for each other.
  std::vector<std::pair<Seconds, double>> history(int link) const;

  /// `made` plays `link`; before `begin`.
  void add_link(int link, simgrid::s4u::Link* made);

  /// Applies what happens at time 0 and arms the rest; `failed` is told of every failure.
  void begin(const std::function<void()>& failed);

  /// Starts a flow or message now.
  void start(simgrid::s4u::Comm& comm);

  /// The link of `links` that has failed by now and never recovers; null for none.
  const CapacityChange* lost(const std::vector<int>& links) const;

  /// How long between two times one of `links` was down, in seconds.
  double down_within(const std::vector<int>& links, double from, double until) const;

 private:
  struct Played {
    simgrid::s4u::Link* link = nullptr;
    double whole = 0.0;  // bytes a second
    double factor = 1.0;
  };

  void apply(Played& played, double factor);

  const std::vector<CapacityChange>& changes_;
  std::map<int, Played> played_;  // links that change
};

}  // namespace gradwire
