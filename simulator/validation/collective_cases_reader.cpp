#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/errors.hpp"
#include "base/unit_text.hpp"
#include "simulator/study/study_place.hpp"
#include "simulator/validation/collective_cases.hpp"
#include "simulator/validation/schema/validation.pb.h"

namespace gradwire {
namespace {

constexpr std::int64_t kFloat = 4;

void read_line(const schema::MessageLine& message, const StudyPlace& place,
               CollectiveNetwork& network) {
  MessageLine line;
  line.latency = parse_duration(message.latency(), place.of("line.latency"));
  if (!message.bandwidth().empty()) {
    line.bandwidth = parse_bandwidth(message.bandwidth(), place.of("line.bandwidth"));
  }
  if (!message.from().empty()) line.from = parse_bytes(message.from(), place.of("line.from"));
  if (message.algorithm().empty() || message.algorithm() == "ring") {
    if (!network.ring.empty() && line.from <= network.ring.back().from) {
      place.refuse("line.from",
                   "found not above the line before it; smaller messages are accepted first");
    }
    network.ring.push_back(line);
    return;
  }
  if (message.algorithm() != "double_tree") {
    place.refuse("line.algorithm",
                 fmt::format("\"{}\" found; ring or double_tree is accepted", message.algorithm()));
  }
  if (network.tree) place.refuse("line", "two of double_tree found; one is accepted");
  if (!line.bandwidth) place.refuse("line.bandwidth", "none found; a double tree's is needed");
  if (!message.from().empty()) place.refuse("line.from", "found; a double tree has one line");
  network.tree = line;
}

CollectiveNetwork read_network(const schema::CollectiveNetwork& message,
                               const std::filesystem::path& file) {
  const StudyPlace place(file, message.name(), "collective_network");
  CollectiveNetwork network;
  network.name = message.name();
  if (network.name.empty()) place.refuse("collective_network.name", "none found; one is needed");
  network.source = message.source();
  require_source(true, network.source, "source", place);
  if (!message.intra_bandwidth().empty()) {
    network.intra_bandwidth =
        parse_bandwidth(message.intra_bandwidth(), place.of("intra_bandwidth"));
  }
  if (!message.intra_latency().empty()) {
    network.intra_latency = parse_duration(message.intra_latency(), place.of("intra_latency"));
  }
  network.intra_source = message.intra_source();
  require_source(network.intra_bandwidth || network.intra_latency, network.intra_source,
                 "intra_source", place);
  network.generation =
      place.parsed("gpu_generation", message.gpu_generation(), gpu_generation_from_name);
  for (const schema::MessageLine& line : message.line()) read_line(line, place, network);
  if (network.ring.empty()) place.refuse("line", "none of ring found; one or more is needed");
  if (!network.ring.back().bandwidth) {
    place.refuse("line.bandwidth", "none found for the largest messages; theirs is needed");
  }
  const bool bounded =
      std::all_of(network.ring.begin(), network.ring.end(),
                  [](const MessageLine& line) { return line.bandwidth.has_value(); });
  if (!bounded && !network.intra_bandwidth) {
    place.refuse("intra_bandwidth", "none found, and a line has no bandwidth; one is needed");
  }
  return network;
}

void read_machine(const schema::CollectiveCase& message, const StudyPlace& place,
                  CollectiveCase& result) {
  result.ranks = message.ranks();
  if (message.gpus_per_node() != 0) result.gpus_per_node = message.gpus_per_node();
  if (message.nics() != 0) result.nics = message.nics();
  if (result.gpus_per_node < 1 || result.ranks < 2 || result.ranks % result.gpus_per_node != 0 ||
      result.nodes() < 2) {
    place.refuse("ranks", fmt::format("{} on nodes of {} found; full nodes, two or more, are "
                                      "accepted",
                                      result.ranks, result.gpus_per_node));
  }
  if (result.nics < 1) {
    place.refuse("nics", fmt::format("{} found; 1 or more is accepted", result.nics));
  }
}

CollectiveKind read_kind(const std::string& name, const StudyPlace& place) {
  const CollectiveKind kind =
      name.empty() ? CollectiveKind::kAllReduce : collective_from_name(name);
  if (kind != CollectiveKind::kAllReduce && kind != CollectiveKind::kAllGather &&
      kind != CollectiveKind::kReduceScatter) {
    place.refuse(
        "collective",
        fmt::format("\"{}\" found; all_reduce, all_gather or reduce_scatter is accepted", name));
  }
  return kind;
}

CollectiveCase read_case(const schema::CollectiveCase& message, const std::string& set_source,
                         const std::vector<CollectiveNetwork>& networks,
                         const std::filesystem::path& file) {
  const StudyPlace place(file, message.name(), "collective");
  CollectiveCase result;
  result.name = message.name();
  if (result.name.empty()) place.refuse("collective.name", "none found; one is needed");
  const auto found = std::find_if(
      networks.begin(), networks.end(),
      [&](const CollectiveNetwork& network) { return network.name == message.network(); });
  if (found == networks.end()) {
    place.refuse("network", fmt::format("\"{}\" found; the set has {}", message.network(),
                                        fmt::join(names_of(networks), ", ")));
  }
  result.network = static_cast<std::size_t>(found - networks.begin());
  result.kind = read_kind(message.collective(), place);
  result.size = parse_bytes(message.size(), place.of("size"));
  if (result.size.count() < kFloat || result.size.count() % kFloat != 0) {
    place.refuse("size", fmt::format("{} bytes found; a whole number of floats is accepted",
                                     result.size.count()));
  }
  read_machine(message, place, result);
  result.measured = parse_duration(message.measured(), place.of("measured"));
  if (!(result.measured > Seconds{0})) place.refuse("measured", "0 found; a time is accepted");
  result.source = message.source().empty() ? set_source : message.source();
  if (result.source.empty()) place.refuse("source", "none found, and the set has none either");
  return result;
}

}  // namespace

std::vector<CollectiveNetwork> read_collective_networks(const schema::ValidationSet& message,
                                                        const std::filesystem::path& file) {
  std::vector<CollectiveNetwork> networks;
  for (const schema::CollectiveNetwork& network : message.collective_network()) {
    networks.push_back(read_network(network, file));
  }
  StudyPlace(file, "").refuse_duplicates(names_of(networks), "collective_network");
  return networks;
}

std::vector<CollectiveCase> read_collective_cases(const schema::ValidationSet& message,
                                                  const std::vector<CollectiveNetwork>& networks,
                                                  const std::filesystem::path& file) {
  std::vector<CollectiveCase> cases;
  for (const schema::CollectiveCase& one : message.collective()) {
    cases.push_back(read_case(one, message.source(), networks, file));
  }
  StudyPlace(file, "").refuse_duplicates(names_of(cases), "collective");
  return cases;
}

}  // namespace gradwire
