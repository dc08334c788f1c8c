#pragma once

#include <string_view>

#include "platforms/model/cluster.hpp"
#include "simulator/engine/simgrid/child_process.hpp"
#include "simulator/plan/plan.hpp"
#include "simulator/timeline/timeline.hpp"

namespace gradwire {

enum class SimgridMode {
  kCoupled,  ///< one flow a collective phase over all links it crosses (default)
  kStep,     ///< every message of every round: the reference
};

/// "coupled" or "step"; throws InputError naming both for anything else.
SimgridMode simgrid_mode_from_name(std::string_view name);

struct SimgridSettings {
  SimgridMode mode = SimgridMode::kCoupled;
  bool collapse_identical_links = true;  ///< coupled mode only
};

/// A simulation that runs in a process of its own.
class PendingSimulation {
 public:
  PendingSimulation(const Plan& plan, const Cluster& cluster, const TimelineRequest& request,
                    const SimgridSettings& settings);

  /// Waits for it. Throws as ChildProcess::finish.
  Timeline finish();

 private:
  ChildProcess child_;
};

/// Plays `plan` on `cluster` with SimGrid: flow level, links shared. Step mode refuses (InputError)
/// a second job and plans whose rounds differ in latency.
Timeline play_simgrid(const Plan& plan, const Cluster& cluster, const TimelineRequest& request,
                      const SimgridSettings& settings);

}  // namespace gradwire
