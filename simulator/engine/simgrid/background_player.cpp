#include "simulator/engine/simgrid/background_player.hpp"

#include <algorithm>
#include <cmath>
#include <simgrid/s4u/Engine.hpp>
#include <utility>

#include "simulator/engine/simgrid/clock.hpp"

namespace gradwire {
namespace {

/// Turns of a flow without pauses: long, because nothing changes from one to the next.
constexpr Seconds kEndlessTurn{1000.0};

Edge first_gpus(const BackgroundFlow& flow, const Cluster& cluster) {
  return {flow.from * cluster.gpus_per_node, flow.to * cluster.gpus_per_node};
}

BitsPerSecond rate_of(const BackgroundFlow& flow, const Cluster& cluster) {
  const Edge edge = first_gpus(flow, cluster);
  return flow.rate.value_or(cluster.link_between(edge.from, edge.to).bandwidth);
}

Bytes bytes_of_turn(const BackgroundFlow& flow, BitsPerSecond rate) {
  const Seconds on = flow.on.count() > 0.0 ? flow.on : kEndlessTurn;
  const double bytes = std::ceil(rate.bytes_per_second() * on.count());
  return Bytes{static_cast<std::int64_t>(std::clamp(bytes, 1.0, 9e18))};
}

}  // namespace

BackgroundPlayer::BackgroundPlayer(FlowRoutes& routes, const BackgroundFlow& flow,
                                   const Cluster& cluster, std::function<bool()> goes_on)
    : routes_(routes),
      route_(routes.add_limited(first_gpus(flow, cluster), rate_of(flow, cluster))),
      bytes_(bytes_of_turn(flow, rate_of(flow, cluster))),
      period_(flow.on + flow.off),
      goes_on_(std::move(goes_on)) {}

void BackgroundPlayer::begin() {
  if (!goes_on_()) return;
  begun_ = simgrid::s4u::Engine::get_clock();
  flow_.start(routes_, route_, bytes_);
}

void BackgroundPlayer::activity_ended(const simgrid::s4u::Activity& activity) {
  if (!flow_.ended_with(activity)) return;
  const double next = begun_ + period_.count();
  after(std::max(0.0, next - simgrid::s4u::Engine::get_clock()), [this] { begin(); });
}

}  // namespace gradwire
