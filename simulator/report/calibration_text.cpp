#include <fmt/format.h>
#include <fmt/ostream.h>

#include <ostream>

#include "base/unit_text.hpp"
#include "simulator/report/calibration_report.hpp"
#include "simulator/report/text_table.hpp"

namespace gradwire {
namespace {

std::string percent(double share) { return fmt::format("{:.2f}", 100.0 * share); }

std::string gigabytes(const std::optional<BitsPerSecond>& speed) {
  return speed ? fmt::format("{:.4g}", speed->bytes_per_second() * 1e-9) : "-";
}

std::string with_error(double value, std::optional<double> error) {
  return error ? fmt::format("{:.4g} +- {:.2g}", value, *error) : fmt::format("{:.4g}", value);
}

std::string place_of(const CollectiveFit& fit) {
  if (fit.nodes == 0) return fmt::format("{} ranks on unknown nodes", fit.ranks);
  return fmt::format("{} ranks on {} node{}", fit.ranks, fit.nodes, fit.nodes == 1 ? "" : "s");
}

void write_fit(const CollectiveFit& fit, std::ostream& out) {
  fmt::print(out, "{} among {}: {} sizes of {}\n", name_of(fit.kind), place_of(fit),
             fit.points.size(), fmt::join(fit.sources, ", "));
  if (!fit.pieces.empty()) {
    TextTable table({{"from"},
                     {"to"},
                     {"sizes"},
                     {"latency us"},
                     {"a message us"},
                     {"algbw GB/s"},
                     {"busbw GB/s"},
                     {"residual % median"},
                     {"p90"},
                     {"largest"},
                     {"at"}});
    for (const LinePiece& piece : fit.pieces) {
      std::optional<double> error;
      if (piece.latency_error) error = piece.latency_error->count() * 1e6;
      std::optional<BitsPerSecond> algorithm;
      if (piece.seconds_per_byte > 0.0) {
        algorithm = BitsPerSecond::from_bytes_per_second(1.0 / piece.seconds_per_byte);
      }
      table.add_row({format_bytes(piece.first), format_bytes(piece.last),
                     fmt::format("{}", piece.points),
                     with_error(piece.latency.count() * 1e6, error),
                     fmt::format("{:.4g}", fit.round_latency(piece).count() * 1e6),
                     gigabytes(algorithm), gigabytes(fit.bus_bandwidth(piece)),
                     percent(piece.residuals.median), percent(piece.residuals.p90),
                     percent(piece.residuals.largest), format_bytes(piece.residuals.largest_at)});
    }
    out << table.text();
  }
  for (const std::string& note : fit.notes) fmt::print(out, "  {}\n", note);
  out << '\n';
}

void write_run(const IperfRun& run, std::ostream& out) {
  fmt::print(out, "iperf3 over {} {} stream{} in {}, of {}: {} received", run.streams,
             run.udp ? "UDP" : "TCP", run.streams == 1 ? "" : "s", format_duration(run.duration),
             run.file, format_bandwidth(run.received));
  if (run.retransmits) fmt::print(out, ", {} retransmits", *run.retransmits);
  if (run.least_round_trip && run.mean_round_trip) {
    fmt::print(out, ", round trip {} at least, {} on average",
               format_duration(*run.least_round_trip), format_duration(*run.mean_round_trip));
  }
  if (run.lost_share) fmt::print(out, ", {:.2g} % lost", 100.0 * *run.lost_share);
  if (run.jitter) fmt::print(out, ", jitter {}", format_duration(*run.jitter));
  out << "\n\n";
}

void write_link(std::string_view name, const std::optional<LinkEstimate>& estimate,
                std::ostream& out) {
  if (!estimate) {
    fmt::print(out, "{}: not determined\n", name);
    return;
  }
  fmt::print(out, "{}: {}, latency {}\n  bandwidth: {}\n  latency: {}\n", name,
             format_bandwidth(estimate->link.bandwidth),
             estimate->latency_known ? format_duration(estimate->link.latency) : "not determined",
             estimate->bandwidth_source, estimate->latency_source);
}

}  // namespace

void write_calibration_text(const Calibration& calibration, std::ostream& out) {
  for (const CollectiveFit& fit : calibration.fits) write_fit(fit, out);
  for (const IperfRun& run : calibration.runs) write_run(run, out);
  write_link("NIC of a node, by the largest messages", calibration.nic, out);
  write_link("link inside a node, by the largest messages", calibration.intra, out);
  for (const std::string& note : calibration.notes) fmt::print(out, "- {}\n", note);
}

}  // namespace gradwire
