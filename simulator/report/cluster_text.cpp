#include <fmt/format.h>
#include <fmt/ostream.h>

#include <ostream>
#include <string>

#include "base/unit_text.hpp"
#include "simulator/report/cluster_report.hpp"
#include "simulator/report/text_table.hpp"

namespace gradwire {
namespace {

std::string nic_of(const Cluster& cluster) {
  const std::string one = format_bandwidth(cluster.nic.bandwidth);
  return cluster.nics_per_node == 1 ? one : fmt::format("{} x {}", cluster.nics_per_node, one);
}

std::string topology_of(const Cluster& cluster) {
  return cluster.topology == nullptr ? "one switch" : cluster.topology->describe();
}

std::string latency_words(const MessageFacts& message) {
  std::string words = format_duration(message.seen.latency);
  if (const auto& band = message.latency_band) {
    words +=
        fmt::format(" (from {} to {})", format_duration(band->low), format_duration(band->high));
  }
  return words;
}

void write_message(const MessageFacts& message, const std::string& which, std::ostream& out) {
  fmt::print(out, "  a message from node {} to node {}, {}: {}, latency {}\n", message.from,
             message.to, which, format_bandwidth(message.seen.bandwidth), latency_words(message));
}

void write_half_shift(const Cluster& cluster, const ShiftFacts& shift, std::ostream& out) {
  const BitsPerSecond node = shift.per_gpu * cluster.gpus_per_node;
  fmt::print(out,
             "  all GPUs at once, each to its like half the cluster away: {} each, {} a node,\n"
             "    set by {}{}\n",
             format_bandwidth(shift.per_gpu), format_bandwidth(node), shift.bound_by,
             shift.messages_there == 1
                 ? std::string{}
                 : fmt::format(", which carries {} of the messages", shift.messages_there));
}

void write_ring(const RingFacts& ring, std::ostream& out) {
  fmt::print(out,
             "  ring all-reduce of {} over all {} GPUs: {}, algbw {:.4g} GB/s, busbw {:.4g} GB/s\n"
             "    2 x {} rounds of {} and a chunk at {}, set by {}\n",
             format_bytes(ring.bytes), ring.ranks, format_duration(ring.time),
             ring.algorithm_bandwidth.bytes_per_second() * 1e-9,
             ring.bus_bandwidth.bytes_per_second() * 1e-9, ring.ranks - 1,
             format_duration(ring.alpha), format_bandwidth(ring.bandwidth), ring.bound_by);
}

}  // namespace

void write_clusters_text(const std::vector<Cluster>& clusters, std::ostream& out) {
  using Align = TextTable::Align;
  TextTable table({{"name", Align::kLeft},
                   {"nodes"},
                   {"GPUs"},
                   {"device", Align::kLeft},
                   {"NICs of a node"},
                   {"topology", Align::kLeft}});
  for (const Cluster& cluster : clusters) {
    table.add_row(
        {cluster.name, fmt::format("{}", cluster.nodes), fmt::format("{}", cluster.gpus()),
         cluster.device.empty() ? "any" : cluster.device, nic_of(cluster), topology_of(cluster)});
  }
  out << table.text();
}

void write_cluster_text(const Cluster& cluster, const NetworkFacts& facts, std::ostream& out) {
  fmt::print(out, "{}: {}\n{}\n\n", cluster.name,
             cluster.description.empty() ? "no description" : cluster.description,
             topology_of(cluster));
  using Align = TextTable::Align;
  TextTable table(
      {{"figure", Align::kLeft}, {"value"}, {"standing", Align::kLeft}, {"source", Align::kLeft}});
  for (const SourcedFigure& figure : cluster.sources) {
    table.add_row({figure.field, figure.value, figure.standing, figure.source});
  }
  out << table.text() << "\nDerived from these, nothing of it measured:\n";
  if (facts.near) write_message(*facts.near, "on one switch", out);
  if (facts.far) {
    write_message(*facts.far,
                  fmt::format("{} links apart, the farthest{}", facts.far->hops,
                              facts.far_of_all ? "" : " from node 0"),
                  out);
  }
  if (facts.half_shift) write_half_shift(cluster, *facts.half_shift, out);
  if (facts.ring) write_ring(*facts.ring, out);
  if (!facts.near && !facts.far && !facts.ring) out << "  nothing: there is one GPU\n";
  if (cluster.shaper) out << "  the shaper is not in these figures\n";
}

}  // namespace gradwire
