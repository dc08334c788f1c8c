#pragma once

#include <functional>
#include <simgrid/s4u.hpp>
#include <vector>

#include "simulator/engine/simgrid/flow_slot.hpp"
#include "simulator/plan/plan.hpp"

namespace gradwire {

/// Plays a foreign job beside a plan: compute as a timer, its collective as coupled flows, again
/// and again. Nothing of it is recorded.
class ForeignJobPlayer {
 public:
  /// Adds the job's routes, so before `routes.build()`. The job begins no further turn, and no
  /// further flow of the turn it is in, once `goes_on` says no; a flow under way runs to its end,
  /// because SimGrid is not safe to cancel in.
  ForeignJobPlayer(FlowRoutes& routes, const ForeignJob& job, LatencyMode mode,
                   std::function<bool()> goes_on);

  /// Starts the first turn, with its compute.
  void begin();

  /// To be told of every activity that ends.
  void activity_ended(const simgrid::s4u::Activity& activity);

 private:
  void start_phase();
  void start_flow();

  const FlowRoutes& routes_;
  std::vector<PhaseFlow> phases_;
  Seconds compute_;
  std::function<bool()> goes_on_;
  std::size_t phase_ = 0;
  FlowSlot flow_;
};

}  // namespace gradwire
