#include <fmt/format.h>
#include <fmt/ostream.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>

#include "base/errors.hpp"
#include "base/unit_text.hpp"
#include "simulator/cli/command.hpp"
#include "simulator/collectives/gloo_selection.hpp"
#include "simulator/collectives/nccl_selection.hpp"
#include "simulator/collectives/registry.hpp"
#include "simulator/collectives/shared_links.hpp"
#include "simulator/engine/recurrence/recurrence_engine.hpp"
#include "simulator/engine/simgrid/find_any_cluster.hpp"
#include "simulator/engine/simgrid/simgrid_engine.hpp"
#include "simulator/plan/planner.hpp"
#include "simulator/report/json_writer.hpp"
#include "simulator/report/text_table.hpp"
#include "simulator/study/estimator.hpp"

namespace gradwire {
namespace {

/// A broadcast of it has two million chunks to list.
constexpr Bytes kLargestSize{1'000'000'000'000};

/// Beyond so many ranks those algorithms are not compared whose messages are as many as pairs.
constexpr int kMostRanksOfPairs = 1024;

struct CollectiveOptions {
  std::string cluster;
  std::string collective = "all_reduce";
  std::string algorithm;
  int ranks = 0;
  std::string size;
  std::string dtype = "float32";
  std::string bandwidth;
  std::string latency;
  int gpus_per_node = 1;
  int nics_per_node = 1;
  std::string intra_bandwidth;
  std::string intra_latency;
  int servers = 1;
  std::string gpu_generation = "ampere";
  std::string engine = "simgrid";
  std::string simgrid_mode = "coupled";
  bool json = false;
};

struct CollectiveAnswer {
  std::string_view algorithm;
  std::string_view formula;
  Bytes size{0};
  Seconds time{0};
  std::optional<Seconds> closed_form;  ///< absent where ranks of a node share its NIC
  Seconds textbook{0};
  Bytes most_sent{0};  ///< by a rank
  double bus_factor = 0.0;

  /// As nccl-tests define them: size over time, and that times the collective's factor.
  double algorithm_bandwidth() const { return static_cast<double>(size.count()) / time.count(); }
  double bus_bandwidth() const { return algorithm_bandwidth() * bus_factor; }
};

/// nccl-tests' size is the larger of a rank's two buffers: for all-gather what a rank receives in
/// all.
CollectiveCall call_of(const CollectiveOptions& options, CollectiveKind kind, Bytes size) {
  const DType dtype = dtype_from_name(options.dtype);
  if (dtype == DType::kUnknown) {
    throw InputError(
        fmt::format("--dtype: \"{}\" found; float32, float16, bfloat16, float64, int8 "
                    "and the like are accepted",
                    options.dtype));
  }
  const Bytes element = element_size(dtype).value();
  if (size < Bytes{1} || size > kLargestSize) {
    throw InputError(
        fmt::format("--size: \"{}\" is out of range; 1B to 1TB is accepted", options.size));
  }
  if (size.count() % element.count() != 0) {
    throw InputError(fmt::format("--size: {} bytes is no whole number of {} elements of {} bytes",
                                 size.count(), options.dtype, element.count()));
  }
  std::int64_t elements = size.count() / element.count();
  if (kind == CollectiveKind::kAllGather) elements = ceil_divide(elements, options.ranks);
  return {kind, Elements{elements}, element};
}

/// The cluster that the options name, with the NICs that they give it; its nodes become the ranks'.
Cluster named_cluster(CollectiveOptions& options) {
  Cluster cluster = find_any_cluster(options.cluster);
  if (options.ranks > cluster.gpus()) {
    throw InputError(fmt::format("--ranks: {} found; cluster \"{}\" has {} GPUs", options.ranks,
                                 cluster.name, cluster.gpus()));
  }
  options.gpus_per_node = cluster.gpus_per_node;
  if (!options.bandwidth.empty()) {
    cluster.nic.bandwidth = parse_bandwidth(options.bandwidth, "--bandwidth");
  }
  if (!options.latency.empty()) {
    cluster.nic.latency = parse_duration(options.latency, "--latency");
  }
  return cluster;
}

/// One switch. Ranks fill nodes in order.
Cluster cluster_of(const CollectiveOptions& options) {
  Cluster cluster;
  cluster.name = "one switch";
  if (options.bandwidth.empty() || options.latency.empty()) {
    throw InputError("--bandwidth, --latency: both are needed, or --cluster");
  }
  cluster.nodes = static_cast<int>(ceil_divide(options.ranks, options.gpus_per_node));
  cluster.gpus_per_node = options.gpus_per_node;
  cluster.nic = {parse_bandwidth(options.bandwidth, "--bandwidth"),
                 parse_duration(options.latency, "--latency")};
  cluster.nics_per_node = options.nics_per_node;
  cluster.intra = cluster.nic;
  const bool described = !options.intra_bandwidth.empty() && !options.intra_latency.empty();
  if (options.gpus_per_node == 1) return cluster;
  if (!described) {
    throw InputError(
        fmt::format("--gpus-per-node: {} found without --intra-bandwidth and --intra-latency, the "
                    "links inside a node",
                    options.gpus_per_node));
  }
  cluster.intra = {parse_bandwidth(options.intra_bandwidth, "--intra-bandwidth"),
                   parse_duration(options.intra_latency, "--intra-latency")};
  return cluster;
}

/// Algorithms whose closed form knows how ranks share a NIC.
bool knows_shares(const Cluster& cluster, std::string_view algorithm) {
  return cluster.gpus_per_node == 1 || algorithm == "hierarchical";
}

/// What messages cross where every one crosses the same.
LinkSpec link_of(const Schedule& schedule, const Cluster& cluster) {
  const bool inside = schedule.ranks() <= cluster.gpus_per_node && cluster.gpus_per_node > 1;
  return inside ? cluster.intra : cluster.across();
}

std::optional<Seconds> closed_form_of(const Schedule& schedule, const Cluster& cluster,
                                      const AlgorithmEntry& entry) {
  // The forms are about one switch of equal nodes with one plain NIC, or several that act as one.
  const bool several = cluster.nics_apart() > 1;
  if (cluster.topology != nullptr || !cluster.slow_nics.empty() || several) return {};
  if (cluster.shaper) return {};
  if (shares_links(schedule, cluster) && !knows_shares(cluster, entry.algorithm)) return {};
  return schedule.closed_form_on_nodes(link_of(schedule, cluster), cluster.intra);
}

Seconds time_of(const CollectiveOptions& options, const std::shared_ptr<const Schedule>& schedule,
                const Cluster& cluster, const AlgorithmEntry& entry) {
  const Plan plan = make_collective_plan(schedule, LatencyMode::kBlocking);
  const auto refuse = [&](const char* why) {
    return InputError(fmt::format("--engine: {} found, but {} {}; accepted: simgrid",
                                  options.engine, why, entry.algorithm));
  };
  switch (estimator_from_name(options.engine)) {
    case Estimator::kSimgrid:
      return play_simgrid(plan, cluster, {}, {simgrid_mode_from_name(options.simgrid_mode)}).end;
    case Estimator::kRecurrence:
      if (shares_links(*schedule, cluster)) throw refuse("links are shared by messages of");
      return play_recurrence_rank_by_rank(plan, cluster, {}).end;
    case Estimator::kFormula: {
      const auto closed_form = closed_form_of(*schedule, cluster, entry);
      if (!closed_form) throw refuse("these links are in no closed form of");
      return *closed_form;
    }
  }
  GW_CHECK(false, "an estimator without a case");
}

CollectiveAnswer answer_of(const CollectiveOptions& options, const AlgorithmEntry& entry,
                           const Cluster& cluster) {
  CollectiveAnswer answer;
  answer.algorithm = entry.algorithm;
  answer.formula = entry.formula;
  answer.size = parse_bytes(options.size, "--size");
  const std::shared_ptr<const Schedule> schedule =
      entry.make(call_of(options, entry.kind, answer.size),
                 {options.ranks, options.gpus_per_node, options.servers});
  answer.time = time_of(options, schedule, cluster, entry);
  answer.closed_form = closed_form_of(*schedule, cluster, entry);
  const LinkSpec link = link_of(*schedule, cluster);
  answer.textbook = schedule->textbook_form(link.latency, link.bandwidth);
  for (int rank = 0; rank < options.ranks; ++rank) {
    answer.most_sent =
        std::max(answer.most_sent, schedule->sent_by(rank) * schedule->call().element_size);
  }
  answer.bus_factor = entry.bus_factor(options.ranks);
  return answer;
}

/// The algorithms of a collective side by side.
struct Comparison {
  std::vector<CollectiveAnswer> answers;
  std::vector<std::string> left_out;  ///< with the reason
};

Comparison compare(const CollectiveOptions& options, CollectiveKind kind, const Cluster& cluster) {
  Comparison comparison;
  for (const AlgorithmEntry& entry : algorithms()) {
    if (entry.kind != kind) continue;
    const bool pairs = entry.algorithm == "pairwise" || entry.algorithm == "direct";
    if (pairs && options.ranks > kMostRanksOfPairs) {
      comparison.left_out.push_back(
          fmt::format("algorithm {}: a message for every pair of more than {} ranks is played only "
                      "when asked for",
                      entry.algorithm, kMostRanksOfPairs));
      continue;
    }
    try {
      comparison.answers.push_back(answer_of(options, entry, cluster));
    } catch (const InputError& error) {
      comparison.left_out.emplace_back(error.what());
    }
  }
  return comparison;
}

std::string milliseconds(Seconds time) { return fmt::format("{:.6f} ms", time.count() * 1e3); }

void write_comparison(const Comparison& comparison) {
  TextTable table({{"algorithm", TextTable::Align::kLeft},
                   {"time ms"},
                   {"closed form ms"},
                   {"bus bandwidth GB/s"},
                   {"most bytes a rank sends"},
                   {"closed form", TextTable::Align::kLeft}});
  for (const CollectiveAnswer& answer : comparison.answers) {
    table.add_row(
        {std::string(answer.algorithm), fmt::format("{:.6f}", answer.time.count() * 1e3),
         answer.closed_form ? fmt::format("{:.6f}", answer.closed_form->count() * 1e3) : "-",
         fmt::format("{:.6g}", answer.bus_bandwidth() * 1e-9),
         fmt::format("{}", answer.most_sent.count()), std::string(answer.formula)});
  }
  fmt::print(std::cout, "\n{}", table.text());
  for (const std::string& reason : comparison.left_out) {
    fmt::print(std::cout, "left out: {}\n", reason);
  }
}

void write_text(const CollectiveOptions& options, const CollectiveAnswer& answer,
                std::string_view choice) {
  fmt::print(std::cout, "{} of {} on {} ranks: {}\n", options.collective, format_bytes(answer.size),
             options.ranks, format_duration(answer.time));
  TextTable table({{"", TextTable::Align::kLeft}, {""}});
  table.add_row({"time (" + options.engine + ")", milliseconds(answer.time)});
  table.add_row({fmt::format("closed form {}", answer.formula),
                 answer.closed_form ? milliseconds(*answer.closed_form) : "knows no such links"});
  table.add_row({"textbook form, real-valued chunks", milliseconds(answer.textbook)});
  table.add_row(
      {"algorithm bandwidth", fmt::format("{:.6g} GB/s", answer.algorithm_bandwidth() * 1e-9)});
  table.add_row({"bus bandwidth", fmt::format("{:.6g} GB/s", answer.bus_bandwidth() * 1e-9)});
  std::cout << table.text() << choice;
}

void write_members(JsonWriter& json, const CollectiveAnswer& answer) {
  json.member("algorithm", answer.algorithm);
  json.member("time_s", answer.time.count());
  json.key("closed_form_s");
  if (answer.closed_form) {
    json.value(answer.closed_form->count());
  } else {
    json.value(nullptr);
  }
  json.member("textbook_form_s", answer.textbook.count());
  json.member("most_sent_bytes", answer.most_sent.count());
  json.member("algorithm_bandwidth_bytes_per_s", answer.algorithm_bandwidth());
  json.member("bus_bandwidth_bytes_per_s", answer.bus_bandwidth());
}

void write_json(const CollectiveOptions& options, const CollectiveAnswer& answer,
                const std::optional<Comparison>& others) {
  JsonWriter json(std::cout);
  json.begin_object();
  json.member("collective", options.collective);
  json.member("ranks", options.ranks);
  json.member("size_bytes", answer.size.count());
  json.member("engine", options.engine);
  write_members(json, answer);
  if (others) {
    json.key("algorithms");
    json.begin_array();
    for (const CollectiveAnswer& other : others->answers) {
      json.begin_object();
      write_members(json, other);
      json.end_object();
    }
    json.end_array();
    json.key("left_out");
    json.begin_array();
    for (const std::string& reason : others->left_out) json.value(reason);
    json.end_array();
  }
  json.end_object();
  std::cout << '\n';
}

/// What NCCL's own model says of the job, and slows `cluster` to what the protocol leaves of it.
std::string choose_as_nccl(const CollectiveOptions& options, CollectiveKind kind, Cluster& cluster,
                           std::string_view& algorithm) {
  NcclJob job = nccl_job(cluster, options.ranks);
  job.generation = gpu_generation_from_name(options.gpu_generation);
  const Bytes size = parse_bytes(options.size, "--size");
  const NcclPrediction choice = nccl_choice(kind, size, job);
  algorithm = choice.algorithm;
  const double efficiency = wire_efficiency(choice.protocol);
  cluster.nic.bandwidth = cluster.nic.bandwidth * efficiency;
  cluster.intra.bandwidth = cluster.intra.bandwidth * efficiency;
  return fmt::format(
      "NCCL takes {} with protocol {}, {:.4g} data bytes a byte on the wire; its own tuning model, "
      "which knows\n{} channels, {} GPUs and no --latency, says {}.\n",
      choice.algorithm, name_of(choice.protocol), efficiency, job.channels, options.gpu_generation,
      milliseconds(choice.time));
}

void play(CollectiveOptions options) {
  const CollectiveKind kind = collective_from_name(options.collective);
  if (kind == CollectiveKind::kOpaque) {
    throw InputError(
        fmt::format("--collective: \"{}\" found; accepted: all_reduce, all_gather, "
                    "reduce_scatter, broadcast, reduce, all_to_all",
                    options.collective));
  }
  Cluster cluster = options.cluster.empty() ? cluster_of(options) : named_cluster(options);
  std::string_view algorithm = options.algorithm;
  std::string choice;
  if (algorithm == "nccl") choice = choose_as_nccl(options, kind, cluster, algorithm);
  if (algorithm == "gloo") {
    algorithm = gloo_choice(kind);
    choice = fmt::format("Gloo takes {}, whatever the size.\n", algorithm);
  }
  const CollectiveAnswer answer = answer_of(options, find_algorithm(kind, algorithm), cluster);
  std::optional<Comparison> others;
  if (options.algorithm.empty()) others = compare(options, kind, cluster);
  if (options.json) return write_json(options, answer, others);
  write_text(options, answer, choice);
  if (others) write_comparison(*others);
}

}  // namespace

void add_collective_command(CLI::App& app) {
  auto options = std::make_shared<CollectiveOptions>();
  CLI::App* command =
      app.add_subcommand("collective", "Time, algorithm and bus bandwidth of one collective");
  command->add_option("--cluster", options->cluster,
                      "Cluster of the catalogue, a .txtpb file or a SimGrid .xml, whose first "
                      "nodes the ranks fill; "
                      "without it one switch, which the following describe");
  command->add_option(
      "--collective", options->collective,
      "all_reduce (default), all_gather, reduce_scatter, broadcast, reduce, all_to_all");
  command->add_option("--algorithm", options->algorithm,
                      "One of docs/collectives.md, or nccl or gloo for what they would take; "
                      "without it the collective's first, and all of them side by side");
  command->add_option("--ranks", options->ranks, "Ranks, 2 or more")
      ->required()
      ->check(CLI::Range(2, 65536));
  command->add_option("--size", options->size, "Size as nccl-tests count it: 100MB, 25MiB")
      ->required();
  command->add_option("--dtype", options->dtype, "Element type; default float32");
  command->add_option("--bandwidth", options->bandwidth,
                      "Speed of every NIC, each direction: 10Gbps");
  command->add_option("--latency", options->latency, "Latency of one message: 20us");
  command
      ->add_option("--nics", options->nics_per_node,
                   "NICs of a node, over which every message is cut; default 1")
      ->check(CLI::Range(1, 1024))
      ->excludes("--cluster");
  command->add_option("--gpus-per-node", options->gpus_per_node, "Ranks of a node; default 1")
      ->check(CLI::Range(1, 65536))
      ->excludes("--cluster");
  command
      ->add_option("--intra-bandwidth", options->intra_bandwidth,
                   "Speed of a GPU's link inside a node, each direction: 2.4Tbps")
      ->excludes("--cluster");
  command
      ->add_option("--intra-latency", options->intra_latency,
                   "Latency of one message inside a node: 3us")
      ->excludes("--cluster");
  command->add_option("--servers", options->servers, "Of parameter_server, 1 to ranks; default 1");
  command->add_option("--gpu-generation", options->gpu_generation,
                      "For --algorithm nccl: volta, ampere (default), hopper");
  command->add_option("--engine", options->engine, "simgrid (default), recurrence, formula");
  command->add_option("--simgrid-mode", options->simgrid_mode, "coupled (default), step");
  command->add_flag("--json", options->json, "One JSON object on standard output");
  command->callback([options] { play(*options); });
}

}  // namespace gradwire
