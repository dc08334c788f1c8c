#include "simulator/calibration/link_estimates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/unit_text.hpp"

namespace gradwire {
namespace {

/// Bus bandwidths of several rank counts that differ by more are told.
constexpr double kNotableDifference = 1.1;
/// A UDP run this near to the rate it was asked for says nothing of the network's.
constexpr double kReachedTarget = 0.97;
/// Intervals that differ by more from least to median are told.
constexpr double kUnsteady = 0.8;

/// Bytes that cross the slowest link each way a byte of size: of a node's NIC when the job has
/// several nodes, of a GPU's link else. A ring in rank order enters and leaves a node once.
double bytes_on_link(const CollectiveFit& fit) {
  if (fit.kind == CollectiveKind::kAllToAll && fit.nodes > 1) {
    const double gpus = static_cast<double>(fit.ranks) / fit.nodes;
    return gpus * (fit.ranks - gpus) / fit.ranks;
  }
  return bus_factor(fit.kind, fit.ranks);
}

bool better(const CollectiveFit& left, const CollectiveFit& right) {
  const bool left_reduces = left.kind == CollectiveKind::kAllReduce;
  const bool right_reduces = right.kind == CollectiveKind::kAllReduce;
  if (left_reduces != right_reduces) return left_reduces;
  return left.ranks > right.ranks;
}

/// Null when no fit that `wanted` accepts has a bandwidth.
template <class Wanted>
const CollectiveFit* best_fit(const Calibration& calibration, Wanted wanted) {
  const CollectiveFit* best = nullptr;
  for (const CollectiveFit& fit : calibration.fits) {
    if (!wanted(fit) || fit.pieces.empty() || fit.pieces.back().seconds_per_byte == 0.0) continue;
    if (best == nullptr || better(fit, *best)) best = &fit;
  }
  return best;
}

/// What piece of which fit, and how well it meets its points.
std::string described(const CollectiveFit& fit, const LinePiece& piece) {
  return fmt::format(
      "{} among {} ranks, {} to {}, {} sizes, residuals median {:.2g} %, largest {:.2g} %, of {}",
      name_of(fit.kind), fit.ranks, format_bytes(piece.first), format_bytes(piece.last),
      piece.points, 100.0 * piece.residuals.median, 100.0 * piece.residuals.largest,
      fmt::join(fit.sources, ", "));
}

/// Sets the latency by the piece of the largest messages that determines one.
void take_latency(const CollectiveFit& fit, LinkEstimate& estimate) {
  const auto piece = std::find_if(fit.pieces.rbegin(), fit.pieces.rend(), latency_is_known);
  estimate.latency_known = piece != fit.pieces.rend();
  if (!estimate.latency_known) {
    estimate.latency_source = fmt::format(
        "not determined, 0 stands for it: no intercept of {} among {} ranks is told from zero",
        name_of(fit.kind), fit.ranks);
    return;
  }
  estimate.link.latency = fit.round_latency(*piece);
  estimate.latency_source = fmt::format(
      "{}intercept {} ({:.2g} % of the time of its least size) of {}, over the messages that "
      "follow "
      "one another in a ring",
      piece == fit.pieces.rbegin() ? "" : "larger sizes do not tell it from zero: ",
      format_duration(piece->latency), 100.0 * (piece->latency / piece->time_of(piece->first)),
      described(fit, *piece));
}

LinkEstimate estimate_of(const CollectiveFit& fit) {
  const LinePiece& piece = fit.pieces.back();
  LinkEstimate estimate;
  estimate.link.bandwidth =
      BitsPerSecond::from_bytes_per_second(bytes_on_link(fit) / piece.seconds_per_byte);
  const std::string error =
      piece.seconds_per_byte_error
          ? fmt::format(", standard error {:.2g} %",
                        100.0 * *piece.seconds_per_byte_error / piece.seconds_per_byte)
          : std::string{};
  estimate.bandwidth_source =
      fmt::format("slope of {}{}; as if {}", described(fit, piece), error,
                  fit.kind == CollectiveKind::kAllToAll ? "sent directly" : "a ring");
  take_latency(fit, estimate);
  return estimate;
}

LinkEstimate estimate_of(const IperfRun& run) {
  LinkEstimate estimate;
  estimate.link.bandwidth = run.received;
  estimate.bandwidth_source =
      fmt::format("received by iperf3 over {} {} streams in {}, payload of the transport, of {}",
                  run.streams, run.udp ? "UDP" : "TCP", format_duration(run.duration), run.file);
  estimate.latency_known = run.least_round_trip.has_value();
  if (estimate.latency_known) {
    estimate.link.latency = *run.least_round_trip / 2.0;
    estimate.latency_source = fmt::format(
        "half the least round trip of TCP's segments, of {}; without what NCCL or Gloo take a "
        "message",
        run.file);
  } else {
    estimate.latency_source =
        fmt::format("not determined, 0 stands for it: {} holds no round-trip times", run.file);
  }
  return estimate;
}

/// A ring of all ranks crosses a NIC with more than what reduces inside the nodes first.
void note_hierarchy(const CollectiveFit& fit, const LinkEstimate& nic,
                    std::vector<std::string>& notes) {
  if (fit.kind != CollectiveKind::kAllReduce) return;
  const double ring = bus_factor(fit.kind, fit.ranks);
  const double between_nodes = bus_factor(fit.kind, fit.nodes);
  if (ring <= kNotableDifference * between_nodes) return;
  notes.push_back(fmt::format(
      "if the {} ranks reduced inside their nodes first (or by trees on two nodes), {:.3g} bytes a "
      "byte crossed a NIC, not the ring's {:.3g}, and its bandwidth is {}: the data do not tell",
      fit.ranks, between_nodes, ring,
      format_bandwidth(nic.link.bandwidth * (between_nodes / ring))));
}

/// What several rank counts of a collective say together, or that there is one only.
void note_rank_counts(Calibration& calibration) {
  std::map<CollectiveKind, std::vector<const CollectiveFit*>> by_kind;
  for (const CollectiveFit& fit : calibration.fits) by_kind[fit.kind].push_back(&fit);
  for (const auto& [kind, fits] : by_kind) {
    std::set<int> ranks;
    std::vector<std::string> speeds;
    double least = 0.0;
    double most = 0.0;
    for (const CollectiveFit* fit : fits) {
      ranks.insert(fit->ranks);
      if (fit->pieces.empty()) continue;
      const auto speed = fit->bus_bandwidth(fit->pieces.back());
      if (!speed) continue;
      speeds.push_back(fmt::format("{}: {}", fit->ranks, format_bandwidth(*speed)));
      least = least == 0.0 ? speed->count() : std::min(least, speed->count());
      most = std::max(most, speed->count());
    }
    if (ranks.size() == 1) {
      calibration.notes.push_back(fmt::format(
          "{}: one rank count, {}: what a call costs once cannot be told from what each message "
          "costs, so a message's latency holds for {} ranks",
          name_of(kind), *ranks.begin(), *ranks.begin()));
    } else if (most > kNotableDifference * least) {
      calibration.notes.push_back(fmt::format(
          "{}: bus bandwidth differs by rank count ({}): NVLink against NICs, another algorithm, "
          "or links that were shared; no one link speed holds for all",
          name_of(kind), fmt::join(speeds, ", ")));
    }
  }
}

void note_run(const IperfRun& run, std::vector<std::string>& notes) {
  if (run.target && run.received.count() >=
                        kReachedTarget * run.target->count() * static_cast<double>(run.streams)) {
    notes.push_back(fmt::format(
        "{}: the rate that was asked for arrived, so the network may be faster", run.file));
  }
  if (run.lost_share && *run.lost_share > 0.0) {
    notes.push_back(
        fmt::format("{}: {:.2g} % of the packets were lost", run.file, 100.0 * *run.lost_share));
  }
  if (run.intervals.empty()) return;
  std::vector<BitsPerSecond> sorted = run.intervals;
  std::sort(sorted.begin(), sorted.end());
  const BitsPerSecond median = sorted[sorted.size() / 2];
  if (sorted.front().count() < kUnsteady * median.count()) {
    notes.push_back(
        fmt::format("{}: unsteady, {} to {} an interval (median {}): shared links or a shaper",
                    run.file, format_bandwidth(sorted.front()), format_bandwidth(sorted.back()),
                    format_bandwidth(median)));
  }
}

void take_run(Calibration& calibration) {
  if (calibration.runs.empty()) return;
  const auto least = std::min_element(
      calibration.runs.begin(), calibration.runs.end(),
      [](const IperfRun& left, const IperfRun& right) { return left.received < right.received; });
  if (!calibration.nic) {
    calibration.nic = estimate_of(*least);
    calibration.nodes = 2;
    calibration.gpus_per_node = 1;
    calibration.notes.emplace_back(
        "iperf3 sees two hosts and no GPU: nodes with one GPU each are assumed");
  } else if (calibration.nodes > 0) {
    calibration.notes.push_back(
        fmt::format("the NICs are those of the collectives; iperf3 received {} at least",
                    format_bandwidth(least->received)));
  }
}

}  // namespace

bool latency_is_known(const LinePiece& piece) {
  if (piece.latency.count() <= 0.0) return false;
  return !piece.latency_error || piece.latency > *piece.latency_error * 2.0;
}

void estimate_links(Calibration& calibration) {
  const CollectiveFit* across =
      best_fit(calibration, [](const CollectiveFit& fit) { return fit.nodes > 1; });
  const CollectiveFit* inside =
      best_fit(calibration, [](const CollectiveFit& fit) { return fit.nodes == 1; });
  if (across != nullptr) {
    calibration.nic = estimate_of(*across);
    calibration.nodes = across->nodes;
    calibration.gpus_per_node = across->ranks / across->nodes;
    note_hierarchy(*across, *calibration.nic, calibration.notes);
  }
  if (inside != nullptr) {
    calibration.intra = estimate_of(*inside);
    if (across == nullptr && calibration.runs.empty()) {
      calibration.nodes = 1;
      calibration.gpus_per_node = inside->ranks;
    }
  }
  note_rank_counts(calibration);
  take_run(calibration);
  for (const IperfRun& run : calibration.runs) note_run(run, calibration.notes);
  const bool unplaced = std::any_of(calibration.fits.begin(), calibration.fits.end(),
                                    [](const CollectiveFit& fit) { return fit.nodes == 0; });
  if (unplaced) {
    calibration.notes.emplace_back(
        "a table does not say on which nodes its ranks were, so it says nothing of NICs: "
        "--gpus-per-node says it");
  }
  if (!calibration.fits.empty()) {
    calibration.notes.emplace_back(
        "assumed: rings in rank order, a node's NICs as one, nothing else on the links; a fit "
        "holds "
        "from the first to the last size of its pieces and is extrapolated beyond");
  }
}

}  // namespace gradwire
