#include "simulator/workload/batch_scaling.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "base/errors.hpp"
#include "base/unit_text.hpp"
#include "simulator/workload/workload_times.hpp"

namespace gradwire {
namespace {

void check_change(const BatchChange& change) {
  if (change.recorded < 1 || change.wanted < 1) {
    throw InputError(
        fmt::format("batch: {} to {} found; whole numbers of samples above 0 are "
                    "accepted",
                    change.recorded, change.wanted));
  }
  if (!(change.fixed_share >= 0.0 && change.fixed_share <= 1.0)) {
    throw InputError(
        fmt::format("fixed_share: {} found; a share from 0 to 1 is accepted", change.fixed_share));
  }
}

/// Which way a scaled time is wrong where less than assumed follows the batch.
std::string_view direction_of_error(const BatchChange& change) {
  return change.wanted < change.recorded
             ? "a small batch uses a GPU less well, so these times are more likely too short than "
               "too long, and the network's share too large"
             : "a large batch uses a GPU better, so these times are more likely too long than too "
               "short, and the network's share too small";
}

}  // namespace

double BatchChange::factor() const {
  return fixed_share +
         (1.0 - fixed_share) * static_cast<double>(wanted) / static_cast<double>(recorded);
}

Workload scale_to_batch(Workload workload, const BatchChange& change) {
  check_change(change);
  workload.batch = change.wanted;
  if (change.wanted == change.recorded) return workload;
  const Seconds before = workload.backward_span;
  scale_times(workload, change.factor());
  workload.compute_band.reset();  // it belongs to the times as they were
  workload.compute_standing = "derived";
  const std::string share = change.fixed_share > 0.0
                                ? fmt::format(", {:.4g} % of which does not depend on the batch",
                                              100.0 * change.fixed_share)
                                : "";
  workload.compute_basis = fmt::format(
      "the backward pass of {} at a batch of {} is derived: scaled by {:.4g} from {} at a batch of "
      "{}{}; {}",
      format_duration(workload.backward_span), change.wanted, change.factor(),
      format_duration(before), change.recorded, share, workload.compute_basis);
  workload.warnings.push_back(
      fmt::format("the backward pass was scaled from a batch of {} to {}, not measured there: {}",
                  change.recorded, change.wanted, direction_of_error(change)));
  return workload;
}

Workload with_backward_time(Workload workload, Seconds backward, const std::string& source) {
  if (!(backward > Seconds{0}) || !std::isfinite(backward.count())) {
    throw InputError(fmt::format("backward time: {} found; a time above 0 is accepted",
                                 format_duration(backward)));
  }
  const Seconds before = workload.backward_span;
  scale_times(workload, backward / before);
  workload.backward_span = backward;  // to the last bit
  workload.outside_backward.reset();
  workload.compute_band.reset();
  const std::string origin = source.empty() ? "as given" : source;
  workload.compute_standing = "derived";
  workload.compute_basis = fmt::format(
      "the backward pass of {} is derived: its length is set ({}), the ready times keep their "
      "places in it; {}",
      format_duration(backward), origin, workload.compute_basis);
  workload.warnings.push_back(
      fmt::format("the backward pass was set to {} ({}); the trace's own takes {}",
                  format_duration(backward), origin, format_duration(before)));
  return workload;
}

}  // namespace gradwire
