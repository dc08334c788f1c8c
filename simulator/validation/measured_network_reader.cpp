#include <fmt/format.h>

#include "base/unit_text.hpp"
#include "simulator/validation/measured_network.hpp"
#include "simulator/validation/schema/validation.pb.h"

namespace gradwire {
namespace {

void read_host_cap(const schema::Network& message, const StudyPlace& place,
                   MeasuredNetwork& network) {
  const bool given = !message.host_cap().empty();
  if (given) {
    network.host_cap = parse_bandwidth(message.host_cap(), place.of("network.host_cap"));
  }
  network.host_cap_source = message.host_cap_source();
  require_source(given, network.host_cap_source, "network.host_cap_source", place);
}

void read_intra(const schema::Network& message, const StudyPlace& place, MeasuredNetwork& network) {
  const bool given = !message.intra_bandwidth().empty();
  if (given) {
    network.intra =
        LinkSpec{parse_bandwidth(message.intra_bandwidth(), place.of("network.intra_bandwidth"))};
  }
  if (!message.intra_latency().empty()) {
    if (!given) place.refuse("network.intra_latency", "found without intra_bandwidth");
    network.intra->latency =
        parse_duration(message.intra_latency(), place.of("network.intra_latency"));
  }
  network.intra_source = message.intra_source();
  require_source(given, network.intra_source, "network.intra_source", place);
}

}  // namespace

MeasuredNetwork read_measured_network(const schema::Network& message, const StudyPlace& place) {
  MeasuredNetwork network;
  network.name = message.name();
  if (message.latency().empty()) place.refuse("network.latency", "none found; one is needed");
  network.latency = parse_duration(message.latency(), place.of("network.latency"));
  network.latency_source = message.latency_source();
  require_source(true, network.latency_source, "network.latency_source", place);
  const bool given = message.payload_efficiency() != 0.0;
  if (given) network.payload_efficiency = message.payload_efficiency();
  if (!(network.payload_efficiency > 0.0 && network.payload_efficiency <= 1.0)) {
    place.refuse(
        "network.payload_efficiency",
        fmt::format("{} found; above 0 and at most 1 is accepted", network.payload_efficiency));
  }
  network.efficiency_source = message.payload_efficiency_source();
  require_source(given, network.efficiency_source, "network.payload_efficiency_source", place);
  read_host_cap(message, place, network);
  read_intra(message, place, network);
  return network;
}

}  // namespace gradwire
