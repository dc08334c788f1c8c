#include "simulator/questions/scenario_time.hpp"

#include "simulator/scenario/contention.hpp"
#include "simulator/study/estimator.hpp"

namespace gradwire {

Seconds scenario_time(const Scenario& scenario) {
  return links_are_shared(scenario) ? estimate(scenario, Estimator::kSimgrid).backward_sync
                                    : recurrence_time(scenario);
}

}  // namespace gradwire
