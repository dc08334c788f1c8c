#pragma once

#include <simgrid/s4u.hpp>
#include <utility>

#include "simulator/engine/simgrid/flow_routes.hpp"

namespace gradwire {

/// One flow at a time. SimGrid still looks at one that has ended, so it is kept until the next one
/// ends.
class FlowSlot {
 public:
  void start(const FlowRoutes& routes, std::size_t route, Bytes bytes) {
    flow_ = routes.start_flow(route, bytes);
  }

  bool is_busy() const { return flow_ != nullptr; }

  /// Bytes that the flow under way has still to move.
  double remaining() const { return flow_->get_remaining(); }

  /// Whether `activity`, which has ended, is the flow; then none is under way any more.
  bool ended_with(const simgrid::s4u::Activity& activity) {
    if (flow_ == nullptr || &activity != flow_.get()) return false;
    ended_ = std::move(flow_);
    return true;
  }

 private:
  simgrid::s4u::CommPtr flow_;
  simgrid::s4u::CommPtr ended_;
};

}  // namespace gradwire
