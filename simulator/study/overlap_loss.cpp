#include "simulator/study/overlap_loss.hpp"

#include "base/errors.hpp"
#include "simulator/study/estimator.hpp"

namespace gradwire {

OverlapLoss measure_overlap_loss(const Scenario& scenario) {
  GW_CHECK(is_overlapped(scenario) && scenario.compression.scheme != nullptr,
           "only overlapped compression of one scheme loses by overlapping");
  OverlapLoss loss;
  Scenario question = scenario;
  question.compression.mode = CompressionMode::kSerial;
  loss.serial = recurrence_time(question);
  question.compression.mode = CompressionMode::kOverlapped;
  loss.overlapped = recurrence_time(question);
  OverlapCosts& costs = question.compression.overlap_costs;
  Seconds last = loss.overlapped;
  const auto leave_out = [&](bool& cost) {
    cost = false;
    const Seconds without = recurrence_time(question);
    const Seconds saved = last - without;
    last = without;
    return saved;
  };
  loss.host = leave_out(costs.host);
  loss.stream_order = leave_out(costs.stream_order);
  loss.device_share = leave_out(costs.device_share);
  loss.hidden = loss.serial - last;
  return loss;
}

}  // namespace gradwire
