#pragma once

#include <functional>
#include <simgrid/s4u.hpp>

#include "simulator/engine/simgrid/flow_slot.hpp"
#include "simulator/scenario/network_conditions.hpp"

namespace gradwire {

/// Plays one flow of background traffic beside a plan. Nothing of it is recorded.
class BackgroundPlayer {
 public:
  /// Adds the flow's route, so before `routes.build()`. It begins no further turn once `goes_on`
  /// says no; one under way runs to its end, because SimGrid is not safe to cancel in.
  BackgroundPlayer(FlowRoutes& routes, const BackgroundFlow& flow, const Cluster& cluster,
                   std::function<bool()> goes_on);

  /// Starts the first turn.
  void begin();

  /// To be told of every activity that ends.
  void activity_ended(const simgrid::s4u::Activity& activity);

 private:
  const FlowRoutes& routes_;
  std::size_t route_;
  Bytes bytes_;     // of a turn
  Seconds period_;  // from turn to turn; 0 for one behind the other
  std::function<bool()> goes_on_;
  double begun_ = 0.0;
  FlowSlot flow_;
};

}  // namespace gradwire
