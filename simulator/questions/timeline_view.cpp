#include "simulator/questions/timeline_view.hpp"

#include <utility>

#include "simulator/plan/planner.hpp"

namespace gradwire {

TimelineView make_timeline_view(const Scenario& scenario, Timeline timeline) {
  const Plan plan = make_plan(scenario);
  TimelineView view;
  view.flows = gradient_flows(scenario, plan, timeline);
  view.links = link_use_of(plan, scenario.cluster, timeline);
  view.simulated = std::move(timeline);
  return view;
}

}  // namespace gradwire
