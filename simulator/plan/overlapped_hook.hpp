#pragma once

#include "simulator/plan/plan.hpp"
#include "simulator/scenario/scenario.hpp"

namespace gradwire {

/// The plan of a DDP communication hook that compresses every bucket beside the backward pass
/// (docs/model.md, "Overlapped compression"). Requires `is_overlapped(scenario)` and a scenario
/// that `check_scenario` accepts.
Plan make_overlapped_plan(const Scenario& scenario);

}  // namespace gradwire
