#include <ostream>
#include <string_view>

#include "simulator/report/cluster_report.hpp"
#include "simulator/report/json_writer.hpp"

namespace gradwire {
namespace {

void write_members(const Cluster& cluster, JsonWriter& json) {
  json.member("name", cluster.name);
  json.member("description", cluster.description);
  json.member("nodes", cluster.nodes);
  json.member("gpus", cluster.gpus());
  json.member("gpus_per_node", cluster.gpus_per_node);
  json.member("device", cluster.device.empty() ? std::optional<std::string_view>{}
                                               : std::optional<std::string_view>{cluster.device});
  json.member("nics_per_node", cluster.nics_per_node);
  json.member("nic_bandwidth_bits_per_s", cluster.nic.bandwidth.count());
  json.member("node_bandwidth_bits_per_s",
              cluster.nic.bandwidth.count() * static_cast<double>(cluster.nics_per_node));
  json.member("topology",
              cluster.topology == nullptr ? "one switch" : cluster.topology->describe());
}

void write_message(std::string_view name, const std::optional<MessageFacts>& message,
                   JsonWriter& json) {
  json.key(name);
  if (!message) {
    json.value(nullptr);
    return;
  }
  const auto& band = message->latency_band;
  json.begin_object();
  json.member("from_node", message->from);
  json.member("to_node", message->to);
  json.member("links_between_switches", message->hops);
  json.member("bandwidth_bits_per_s", message->seen.bandwidth.count());
  json.member("latency_s", message->seen.latency.count());
  json.member("latency_low_s", band ? std::optional<double>{band->low.count()} : std::nullopt);
  json.member("latency_high_s", band ? std::optional<double>{band->high.count()} : std::nullopt);
  json.end_object();
}

void write_facts(const NetworkFacts& facts, JsonWriter& json) {
  json.key("derived").begin_object();
  write_message("message_on_one_switch", facts.near, json);
  write_message("message_farthest", facts.far, json);
  json.member("farthest_of_all_pairs", facts.far_of_all);
  json.key("half_shift");
  if (facts.half_shift) {
    json.begin_object();
    json.member("bandwidth_per_gpu_bits_per_s", facts.half_shift->per_gpu.count());
    json.member("bound_by", facts.half_shift->bound_by);
    json.member("messages_there", facts.half_shift->messages_there);
    json.end_object();
  } else {
    json.value(nullptr);
  }
  json.key("ring_all_reduce");
  if (facts.ring) {
    json.begin_object();
    json.member("size_bytes", facts.ring->bytes.count());
    json.member("ranks", facts.ring->ranks);
    json.member("round_latency_s", facts.ring->alpha.count());
    json.member("round_bandwidth_bits_per_s", facts.ring->bandwidth.count());
    json.member("bound_by", facts.ring->bound_by);
    json.member("time_s", facts.ring->time.count());
    json.member("algorithm_bandwidth_bytes_per_s",
                facts.ring->algorithm_bandwidth.bytes_per_second());
    json.member("bus_bandwidth_bytes_per_s", facts.ring->bus_bandwidth.bytes_per_second());
    json.end_object();
  } else {
    json.value(nullptr);
  }
  json.end_object();
}

}  // namespace

void write_clusters_json(const std::vector<Cluster>& clusters, std::ostream& out) {
  JsonWriter json(out);
  json.begin_object().key("clusters").begin_array();
  for (const Cluster& cluster : clusters) {
    json.begin_object();
    write_members(cluster, json);
    json.end_object();
  }
  json.end_array().end_object();
  out << '\n';
}

void write_cluster_json(const Cluster& cluster, const NetworkFacts& facts, std::ostream& out) {
  JsonWriter json(out);
  json.begin_object();
  write_members(cluster, json);
  json.key("figures").begin_array();
  for (const SourcedFigure& figure : cluster.sources) {
    json.begin_object();
    json.member("figure", figure.field);
    json.member("value", figure.value);
    json.member("standing", figure.standing);
    json.member("source", figure.source);
    json.end_object();
  }
  json.end_array();
  write_facts(facts, json);
  json.end_object();
  out << '\n';
}

}  // namespace gradwire
