#pragma once

#include <optional>
#include <vector>

#include "simulator/questions/gradient_flow.hpp"
#include "simulator/questions/link_use.hpp"
#include "simulator/questions/measured_iteration.hpp"
#include "simulator/scenario/scenario.hpp"
#include "simulator/timeline/timeline.hpp"

namespace gradwire {

/// An iteration as a timeline viewer shows it.
struct TimelineView {
  Timeline simulated;
  GradientFlows flows;         ///< of `simulated`
  std::vector<LinkUse> links;  ///< of `simulated`
  std::optional<MeasuredIteration> measured;
};

/// The view of `timeline`, an estimate of `scenario` by an engine. Nothing is measured in it.
TimelineView make_timeline_view(const Scenario& scenario, Timeline timeline);

}  // namespace gradwire
