#include <fmt/format.h>
#include <fmt/ostream.h>

#include <ostream>
#include <string_view>

#include "base/errors.hpp"
#include "simulator/report/calibration_report.hpp"

namespace gradwire {
namespace {

/// As a protobuf text string: what could end it or the line is escaped.
std::string proto_string(std::string_view text) {
  std::string result = "\"";
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (character == '"' || character == '\\') {
      result += '\\';
      result += character;
    } else if (byte < 0x20 || byte >= 0x7f) {
      result += fmt::format("\\{:03o}", byte);
    } else {
      result += character;
    }
  }
  return result + '"';
}

void write_figure(std::string_view indent, std::string_view field, std::string_view value,
                  std::string_view standing, std::string_view source, std::ostream& out) {
  fmt::print(out, "{0}{1} {{\n{0}  value: {2}\n{0}  standing: {3}\n{0}  source: {4}\n{0}}}\n",
             indent, field, proto_string(value), standing, proto_string(source));
}

void write_link(std::string_view name, const LinkEstimate& estimate, bool measured,
                std::ostream& out) {
  fmt::print(out, "{} {{\n", name);
  write_figure("  ", "bandwidth", fmt::format("{:.9g}bps", estimate.link.bandwidth.count()),
               measured ? "DERIVED" : "ASSUMED", estimate.bandwidth_source, out);
  write_figure("  ", "latency", fmt::format("{:.6f}us", estimate.link.latency.count() * 1e6),
               measured && estimate.latency_known ? "DERIVED" : "ASSUMED", estimate.latency_source,
               out);
  out << "}\n";
}

/// The link that nothing measured: the other one, which the messages crossed too.
LinkEstimate stand_in(const LinkEstimate& other, std::string_view reason) {
  LinkEstimate estimate = other;
  estimate.bandwidth_source = reason;
  estimate.latency_source = reason;
  return estimate;
}

}  // namespace

void write_calibrated_cluster(const Calibration& calibration, std::ostream& out) {
  const bool across = calibration.nic.has_value();
  if (!across && !calibration.intra) {
    throw InputError(
        "nothing to write a cluster from: no file determines the bandwidth of a link; several "
        "sizes "
        "of a collective whose nodes are known, or an iperf3 result, are needed");
  }
  out << "# Written by gradwire calibrate: the links by the piece of the largest messages. Smaller "
         "messages take\n# other times (see its table).\n";
  for (const std::string& note : calibration.notes) {
    std::string line = proto_string(note);
    fmt::print(out, "# - {}\n", std::string_view(line).substr(1, line.size() - 2));
  }
  out << "name: \"calibrated\"\n";
  const std::string_view counted =
      across ? calibration.nic->bandwidth_source : calibration.intra->bandwidth_source;
  write_figure("", "nodes", fmt::format("{}", calibration.nodes), "DERIVED", counted, out);
  write_figure("", "gpus_per_node", fmt::format("{}", calibration.gpus_per_node),
               calibration.fits.empty() ? "ASSUMED" : "DERIVED", counted, out);
  const LinkEstimate nic =
      across ? *calibration.nic
             : stand_in(*calibration.intra,
                        "not measured: that of the link inside the node, which has no other node");
  write_link("nic", nic, across, out);
  if (calibration.intra) {
    write_link("intra", *calibration.intra, true, out);
  } else if (calibration.gpus_per_node > 1) {
    write_link("intra",
               stand_in(*calibration.nic,
                        "not measured: that of the NIC, the least that carried the same ring"),
               false, out);
  }
}

}  // namespace gradwire
