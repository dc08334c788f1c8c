#pragma once

#include "simulator/scenario/scenario.hpp"

namespace gradwire {

/// Why overlapping compression with the backward pass is slower or faster than compressing after
/// it. Backward plus synchronisation by the recurrence, each cost found by leaving it out, one
/// after the other in this order, so that overlapped = serial - hidden + host + stream_order +
/// device_share.
struct OverlapLoss {
  Seconds serial{0};
  Seconds overlapped{0};
  Seconds hidden{0};        ///< what overlapping would save at no cost; below 0 where smaller
                            ///< messages cost more than they hide
  Seconds host{0};          ///< the hooks keep the thread that launches the backward pass
  Seconds stream_order{0};  ///< encoding stands in front of backward kernels
  Seconds device_share{0};  ///< what follows a transfer takes half the device from them
};

/// Of a scenario with overlapped compression by the same scheme in every bucket (GW_CHECK).
OverlapLoss measure_overlap_loss(const Scenario& scenario);

}  // namespace gradwire
