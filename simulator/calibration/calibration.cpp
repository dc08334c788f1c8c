#include "simulator/calibration/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/errors.hpp"
#include "base/unit_text.hpp"
#include "simulator/calibration/link_estimates.hpp"

namespace gradwire {
namespace {

/// Rows of one size that differ by more are told: other settings, or links that others used too.
constexpr double kNotableSpread = 1.25;
/// A piece that misses a point by more is told.
constexpr double kNotableResidual = 0.2;

using FitKey = std::tuple<CollectiveKind, int, int>;  ///< kind, nodes, ranks

/// What one fit is made of.
struct FitInput {
  CollectiveFit fit;
  std::map<Bytes, std::vector<Seconds>> times;
};

void gather(const IdentifiedTable& identified, TablePlacement placement, FitInput& input) {
  const CollectiveTable& table = identified.table;
  const std::string place = fmt::format("{}:{}", table.file, table.line);
  CollectiveFit& fit = input.fit;
  fit.kind = identified.identity.kind;
  fit.ranks = identified.identity.ranks;
  fit.nodes = identified.identity.nodes;
  fit.sources.push_back(place);
  for (const std::string& note : table.notes)
    fit.notes.push_back(fmt::format("{}: {}", place, note));
  for (const std::string& note : identified.identity.inferred) {
    fit.notes.push_back(fmt::format("{}: {}", place, note));
  }
  int wrong = 0;
  int absent = 0;
  for (const TableRow& row : table.rows) {
    const std::optional<TableTiming> timing =
        placement == TablePlacement::kInPlace ? row.in_place : row.out_of_place;
    if (!timing) {
      ++absent;
    } else if (timing->wrong) {
      ++wrong;
    } else {
      input.times[row.size].push_back(timing->time);
    }
  }
  if (wrong > 0)
    fit.notes.push_back(fmt::format("{}: rows with wrong results, left out: {}", place, wrong));
  if (absent > 0)
    fit.notes.push_back(fmt::format("{}: rows without an in-place time: {}", place, absent));
}

Seconds median_of(std::vector<Seconds> times) {
  std::sort(times.begin(), times.end());
  return (times[(times.size() - 1) / 2] + times[times.size() / 2]) / 2.0;
}

void note_spread(const std::map<Bytes, std::vector<Seconds>>& times, CollectiveFit& fit) {
  double largest = 1.0;
  Bytes at{0};
  for (const auto& [size, found] : times) {
    const auto [least, most] = std::minmax_element(found.begin(), found.end());
    if (*most / *least <= largest) continue;
    largest = *most / *least;
    at = size;
  }
  if (largest <= kNotableSpread) return;
  fit.notes.push_back(
      fmt::format("rows of one size differ up to {:.2f} times (at {}); the median is fitted, but "
                  "they may be of "
                  "different settings or of links that others used too",
                  largest, format_bytes(at)));
}

void note_limits(CollectiveFit& fit) {
  if (fit.points.size() == 1) {
    fit.notes.push_back(fmt::format(
        "one size, {}: latency and bandwidth cannot be told apart; it took {}, a bus bandwidth of "
        "{} if all of it is bandwidth",
        format_bytes(fit.points[0].size), format_duration(fit.points[0].time),
        format_bandwidth(BitsPerSecond::from_bytes_per_second(
            bus_factor(fit.kind, fit.ranks) * static_cast<double>(fit.points[0].size.count()) /
            fit.points[0].time.count()))));
    return;
  }
  if (fit.points.size() == 2) {
    fit.notes.emplace_back("two sizes: a line meets both, so its residuals say nothing");
  }
  for (const LinePiece& piece : fit.pieces) {
    const std::string range =
        fmt::format("{} to {}", format_bytes(piece.first), format_bytes(piece.last));
    if (piece.seconds_per_byte == 0.0) {
      fit.notes.push_back(range + ": time does not grow with size, bandwidth is not determined");
    }
    if (!latency_is_known(piece)) {
      fit.notes.push_back(range + ": latency is not told from zero");
    }
    if (piece.residuals.largest > kNotableResidual) {
      fit.notes.push_back(fmt::format("{}: a line misses {} by {:.0f} %", range,
                                      format_bytes(piece.residuals.largest_at),
                                      100.0 * piece.residuals.largest));
    }
  }
}

CollectiveFit fitted(FitInput input) {
  CollectiveFit& fit = input.fit;
  if (input.times.empty()) {
    throw InputError(
        fmt::format("{}: no row with a time and right results found in the half that "
                    "is fitted; --placement chooses the other",
                    fit.sources.front()));
  }
  if (input.times.size() > kMostFittedSizes) {
    throw InputError(fmt::format("{}: {} sizes found; up to {} are accepted", fit.sources.front(),
                                 input.times.size(), kMostFittedSizes));
  }
  for (const auto& [size, times] : input.times) fit.points.push_back({size, median_of(times)});
  if (fit.points.size() > 1) fit.pieces = fit_pieces(fit.points);
  note_spread(input.times, fit);
  note_limits(fit);
  return std::move(fit);
}

}  // namespace

std::optional<BitsPerSecond> CollectiveFit::bus_bandwidth(const LinePiece& piece) const {
  if (piece.seconds_per_byte == 0.0) return {};
  return BitsPerSecond::from_bytes_per_second(bus_factor(kind, ranks) / piece.seconds_per_byte);
}

Seconds CollectiveFit::round_latency(const LinePiece& piece) const {
  switch (kind) {
    case CollectiveKind::kAllReduce:
      return piece.latency / (2.0 * (ranks - 1));
    case CollectiveKind::kSendReceive:
      return piece.latency;
    default:
      return piece.latency / static_cast<double>(ranks - 1);
  }
}

Calibration calibrate(const std::vector<IdentifiedTable>& tables, std::vector<IperfRun> runs,
                      TablePlacement placement) {
  std::map<FitKey, FitInput> inputs;
  for (const IdentifiedTable& table : tables) {
    const TableIdentity& identity = table.identity;
    gather(table, placement, inputs[{identity.kind, identity.nodes, identity.ranks}]);
  }
  Calibration calibration;
  for (auto& [key, input] : inputs) calibration.fits.push_back(fitted(std::move(input)));
  calibration.runs = std::move(runs);
  estimate_links(calibration);
  return calibration;
}

}  // namespace gradwire
