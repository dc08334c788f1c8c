#include <ostream>

#include "simulator/report/calibration_report.hpp"
#include "simulator/report/json_writer.hpp"

namespace gradwire {
namespace {

std::optional<double> seconds(const std::optional<Seconds>& time) {
  if (!time) return {};
  return time->count();
}

void write_piece(JsonWriter& json, const CollectiveFit& fit, const LinePiece& piece) {
  json.begin_object();
  json.member("first_bytes", piece.first.count());
  json.member("last_bytes", piece.last.count());
  json.member("sizes", piece.points);
  json.member("latency_s", piece.latency.count());
  json.member("latency_standard_error_s", seconds(piece.latency_error));
  json.member("message_latency_s", fit.round_latency(piece).count());
  json.member("seconds_per_byte", piece.seconds_per_byte);
  json.member("seconds_per_byte_standard_error", piece.seconds_per_byte_error);
  std::optional<double> bus;
  if (const auto speed = fit.bus_bandwidth(piece)) bus = speed->count();
  json.member("bus_bandwidth_bits_per_s", bus);
  json.member("residual_median_ratio", piece.residuals.median);
  json.member("residual_p90_ratio", piece.residuals.p90);
  json.member("residual_largest_ratio", piece.residuals.largest);
  json.member("residual_largest_at_bytes", piece.residuals.largest_at.count());
  json.end_object();
}

void write_fit(JsonWriter& json, const CollectiveFit& fit) {
  json.begin_object();
  json.member("collective", name_of(fit.kind));
  json.member("ranks", fit.ranks);
  json.member("nodes", fit.nodes > 0 ? std::optional<int>(fit.nodes) : std::nullopt);
  json.member("sources", fit.sources);
  json.key("pieces").begin_array();
  for (const LinePiece& piece : fit.pieces) write_piece(json, fit, piece);
  json.end_array();
  json.key("points").begin_array();
  for (const SizedTime& point : fit.points) {
    json.begin_object(JsonLayout::kOneLine);
    json.member("size_bytes", point.size.count());
    json.member("time_s", point.time.count());
    json.end_object();
  }
  json.end_array();
  json.member("notes", fit.notes);
  json.end_object();
}

void write_run(JsonWriter& json, const IperfRun& run) {
  json.begin_object();
  json.member("source", run.file);
  json.member("protocol", run.udp ? "UDP" : "TCP");
  json.member("streams", run.streams);
  json.member("duration_s", run.duration.count());
  json.member("received_bits_per_s", run.received.count());
  json.key("interval_bits_per_s").begin_array(JsonLayout::kOneLine);
  for (const BitsPerSecond& interval : run.intervals) json.value(interval.count());
  json.end_array();
  json.member("retransmits", run.retransmits);
  json.member("least_round_trip_s", seconds(run.least_round_trip));
  json.member("mean_round_trip_s", seconds(run.mean_round_trip));
  json.member("lost_ratio", run.lost_share);
  json.member("jitter_s", seconds(run.jitter));
  json.end_object();
}

void write_link(JsonWriter& json, std::string_view name,
                const std::optional<LinkEstimate>& estimate) {
  json.key(name);
  if (!estimate) {
    json.value(nullptr);
    return;
  }
  json.begin_object();
  json.member("bandwidth_bits_per_s", estimate->link.bandwidth.count());
  json.member("bandwidth_source", estimate->bandwidth_source);
  json.member("latency_s", estimate->latency_known
                               ? std::optional<double>(estimate->link.latency.count())
                               : std::nullopt);
  json.member("latency_source", estimate->latency_source);
  json.end_object();
}

}  // namespace

void write_calibration_json(const Calibration& calibration, std::ostream& out) {
  JsonWriter json(out);
  json.begin_object();
  json.key("collectives").begin_array();
  for (const CollectiveFit& fit : calibration.fits) write_fit(json, fit);
  json.end_array();
  json.key("iperf").begin_array();
  for (const IperfRun& run : calibration.runs) write_run(json, run);
  json.end_array();
  write_link(json, "nic", calibration.nic);
  write_link(json, "intra", calibration.intra);
  json.member("notes", calibration.notes);
  json.end_object();
  out << '\n';
}

}  // namespace gradwire
