#include "simulator/engine/simgrid/foreign_job_player.hpp"

#include "simulator/engine/simgrid/clock.hpp"

namespace gradwire {

ForeignJobPlayer::ForeignJobPlayer(FlowRoutes& routes, const ForeignJob& job, LatencyMode mode,
                                   std::function<bool()> goes_on)
    : routes_(routes),
      phases_(routes.add(*job.collective, mode)),
      compute_(job.compute),
      goes_on_(std::move(goes_on)) {}

void ForeignJobPlayer::begin() {
  phase_ = 0;
  after(compute_.count(), [this] { start_phase(); });
}

void ForeignJobPlayer::activity_ended(const simgrid::s4u::Activity& activity) {
  if (!flow_.ended_with(activity)) return;
  ++phase_;
  start_phase();
}

void ForeignJobPlayer::start_phase() {
  if (!goes_on_()) return;
  if (phase_ == phases_.size()) return begin();
  after(phases_[phase_].latency.count(), [this] { start_flow(); });
}

void ForeignJobPlayer::start_flow() {
  if (!goes_on_()) return;
  flow_.start(routes_, phases_[phase_].route, phases_[phase_].bytes);
}

}  // namespace gradwire
