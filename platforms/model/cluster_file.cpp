#include "platforms/model/cluster.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "base/errors.hpp"
#include "base/input_file.hpp"
#include "base/text_proto.hpp"
#include "base/unit_text.hpp"
#include "platforms/schema/cluster.pb.h"

namespace gradwire {
namespace {

std::string standing_text(schema::Standing standing) {
  switch (standing) {
    case schema::MEASURED:
      return "measured";
    case schema::PUBLISHED:
      return "published";
    case schema::RECALLED:
      return "recalled";
    case schema::DERIVED:
      return "derived";
    case schema::ASSUMED:
      return "assumed";
    default:
      return {};
  }
}

constexpr std::string_view kFieldWithBand = "nic.latency";

/// Reads the figures of one cluster file and keeps where each comes from.
class FigureReader {
 public:
  explicit FigureReader(const std::string& file) : file_(file) {}

  int count(const schema::Figure& figure, const std::string& field) {
    const std::string& text = take(figure, field);
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) {
      refuse(field, fmt::format("\"{}\" is not a whole number; one from 1 up is accepted", text));
    }
    return value;
  }

  double factor(const schema::Figure& figure, const std::string& field) {
    const std::string& text = take(figure, field);
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) {
      refuse(field, fmt::format("\"{}\" is not a number; a factor such as 0.5 is accepted", text));
    }
    return value;
  }

  LinkSpec link(const schema::Link& link, const std::string& field) {
    const std::string bandwidth = field + ".bandwidth";
    const std::string latency = field + ".latency";
    return {parse_bandwidth(take(link.bandwidth(), bandwidth), place(bandwidth)),
            parse_duration(take(link.latency(), latency), place(latency))};
  }

  /// The band beside a link's latency, when the file gives one.
  std::optional<LatencyBand> latency_band(const schema::Link& link, const std::string& field) {
    const schema::Figure& figure = link.latency();
    if (figure.low().empty() && figure.high().empty()) return std::nullopt;
    const LatencyBand band{parse_duration(figure.low(), place(field + ".latency.low")),
                           parse_duration(figure.high(), place(field + ".latency.high"))};
    const Seconds value = parse_duration(figure.value(), place(field + ".latency"));
    if (band.low > value || band.high < value) {
      refuse(field + ".latency", "lies outside its own band; low <= value <= high is accepted");
    }
    return band;
  }

  [[noreturn]] void refuse(const std::string& field, const std::string& what) const {
    throw InputError(fmt::format("{}: {}", place(field), what));
  }

  std::vector<SourcedFigure> sources;

 private:
  std::string place(const std::string& field) const { return fmt::format("{}: {}", file_, field); }

  const std::string& take(const schema::Figure& figure, const std::string& field) {
    if (figure.value().empty()) {
      refuse(field, "has no value; one is needed (value: \"...\", with its unit)");
    }
    if (figure.source().empty()) {
      refuse(field, "has no source; say where the value comes from (source: \"...\")");
    }
    if (field != kFieldWithBand && !(figure.low().empty() && figure.high().empty())) {
      refuse(field, fmt::format("has a band (low, high); only {} takes one", kFieldWithBand));
    }
    std::string standing = standing_text(figure.standing());
    if (standing.empty()) {
      refuse(field, "has no standing; accepted: MEASURED, PUBLISHED, RECALLED, DERIVED, ASSUMED");
    }
    sources.push_back({field, figure.value(), std::move(standing), figure.source()});
    return figure.value();
  }

  const std::string& file_;
};

/// Racks and slow NICs: what makes a cluster more than one switch of equal nodes.
void read_contention(const schema::Cluster& message, FigureReader& reader, Cluster& cluster) {
  if (message.has_nodes_per_rack() || message.has_oversubscription()) {
    cluster.nodes_per_rack = reader.count(message.nodes_per_rack(), "nodes_per_rack");
    if (cluster.nodes_per_rack < 1) reader.refuse("nodes_per_rack", "1 or more is accepted");
    cluster.oversubscription = reader.factor(message.oversubscription(), "oversubscription");
  }
  for (const schema::SlowNic& slow : message.slow_nic()) {
    if (!slow.has_node()) reader.refuse("slow_nic.node", "is missing; a node from 0 up is needed");
    const std::string field = fmt::format("slow_nic {}.bandwidth_factor", slow.node());
    cluster.slow_nics.push_back({slow.node(), reader.factor(slow.bandwidth_factor(), field)});
  }
}

}  // namespace

Cluster parse_cluster(const std::string& text, const std::string& name) {
  schema::Cluster message;
  parse_text_proto(text, name, message);
  FigureReader reader(name);
  if (message.name().empty()) reader.refuse("name", "is missing; a name for people is needed");
  Cluster cluster;
  cluster.name = message.name();
  cluster.description = message.description();
  cluster.device = message.device();
  cluster.nodes = reader.count(message.nodes(), "nodes");
  cluster.gpus_per_node = reader.count(message.gpus_per_node(), "gpus_per_node");
  cluster.nic = reader.link(message.nic(), "nic");
  cluster.nic_latency_band = reader.latency_band(message.nic(), "nic");
  // A node of one GPU has no link inside.
  if (cluster.gpus_per_node > 1 || message.has_intra()) {
    cluster.intra = reader.link(message.intra(), "intra");
  }
  read_contention(message, reader, cluster);
  cluster.sources = std::move(reader.sources);
  try {
    check_cluster(cluster);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", name, error.what()));
  }
  return cluster;
}

Cluster read_cluster(const std::filesystem::path& path) {
  return parse_cluster(read_whole_file(path), path.string());
}

}  // namespace gradwire
