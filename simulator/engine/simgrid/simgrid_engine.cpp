#include "simulator/engine/simgrid/simgrid_engine.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"
#include "simulator/engine/simgrid/coupled_player.hpp"
#include "simulator/engine/simgrid/step_player.hpp"
#include "simulator/engine/simgrid/timeline_bytes.hpp"

namespace gradwire {

SimgridMode simgrid_mode_from_name(std::string_view name) {
  if (name == "coupled") return SimgridMode::kCoupled;
  if (name == "step") return SimgridMode::kStep;
  throw InputError(fmt::format("simgrid mode: \"{}\" found; accepted: coupled, step", name));
}

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
