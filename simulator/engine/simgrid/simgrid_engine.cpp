#include "simulator/engine/simgrid/simgrid_engine.hpp"

#include "simulator/engine/simgrid/coupled_player.hpp"
#include "simulator/engine/simgrid/step_player.hpp"
#include "simulator/engine/simgrid/timeline_bytes.hpp"

namespace gradwire {

PendingSimulation::PendingSimulation(const Plan& plan, const Cluster& cluster,
                                     const TimelineRequest& request,
                                     const SimgridSettings& settings)
    : child_([&] {
        return to_bytes(
            settings.mode == SimgridMode::kStep
                ? play_step(plan, cluster, request)
                : play_coupled(plan, cluster, request, settings.collapse_identical_links));
      }) {}

Timeline PendingSimulation::finish() { return timeline_from_bytes(child_.finish()); }

Timeline play_simgrid(const Plan& plan, const Cluster& cluster, const TimelineRequest& request,
                      const SimgridSettings& settings) {
  return PendingSimulation(plan, cluster, request, settings).finish();
}

}  // namespace gradwire
