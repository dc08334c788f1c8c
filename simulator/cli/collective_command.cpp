#include <fmt/format.h>
#include <fmt/ostream.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "base/errors.hpp"
#include "base/unit_text.hpp"
#include "simulator/cli/command.hpp"
#include "simulator/collectives/registry.hpp"
#include "simulator/engine/recurrence/recurrence_engine.hpp"
#include "simulator/engine/simgrid/simgrid_engine.hpp"
#include "simulator/plan/planner.hpp"
#include "simulator/report/json_writer.hpp"
#include "simulator/report/text_table.hpp"
#include "simulator/study/estimator.hpp"

namespace gradwire {
namespace {

/// A broadcast of it has two million chunks to list.
constexpr Bytes kLargestSize{1'000'000'000'000};

struct CollectiveOptions {
  std::string collective = "all_reduce";
  std::string algorithm;
  int ranks = 0;
  std::string size;
  std::string dtype = "float32";
  std::string bandwidth;
  std::string latency;
  std::string engine = "simgrid";
  std::string simgrid_mode = "coupled";
  bool json = false;
};

struct CollectiveAnswer {
  Seconds time{0};
  Seconds closed_form{0};
  Seconds textbook{0};
  Bytes size{0};
  double bus_factor = 0.0;
  std::string_view formula;
  std::string_view algorithm;

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

Cluster one_switch(const CollectiveOptions& options) {
  Cluster cluster;
  cluster.name = "one switch";
  cluster.nodes = options.ranks;
  cluster.gpus_per_node = 1;
  cluster.nic = {parse_bandwidth(options.bandwidth, "--bandwidth"),
                 parse_duration(options.latency, "--latency")};
  cluster.intra = cluster.nic;
  return cluster;
}

Seconds time_of(const CollectiveOptions& options, const Schedule& schedule, const Plan& plan,
                const Cluster& cluster) {
  SimgridSettings settings;
  settings.mode = simgrid_mode_from_name(options.simgrid_mode);
  switch (estimator_from_name(options.engine)) {
    case Estimator::kSimgrid:
      return play_simgrid(plan, cluster, {}, settings).end;
    case Estimator::kRecurrence:
      return play_recurrence_rank_by_rank(plan, cluster, {}).end;
    case Estimator::kFormula:
      return schedule.closed_form(cluster.nic.latency, cluster.nic.bandwidth);
  }
  GW_CHECK(false, "an estimator without a case");
}

void write_text(const CollectiveOptions& options, const CollectiveAnswer& answer) {
  fmt::print(std::cout, "{} of {} on {} ranks: {}\n", options.collective, format_bytes(answer.size),
             options.ranks, format_duration(answer.time));
  TextTable table({{"", TextTable::Align::kLeft}, {""}});
  table.add_row(
      {"time (" + options.engine + ")", fmt::format("{:.6f} ms", answer.time.count() * 1e3)});
  table.add_row({fmt::format("closed form {}", answer.formula),
                 fmt::format("{:.6f} ms", answer.closed_form.count() * 1e3)});
  table.add_row({"textbook form, real-valued chunks",
                 fmt::format("{:.6f} ms", answer.textbook.count() * 1e3)});
  table.add_row(
      {"algorithm bandwidth", fmt::format("{:.6g} GB/s", answer.algorithm_bandwidth() * 1e-9)});
  table.add_row({"bus bandwidth", fmt::format("{:.6g} GB/s", answer.bus_bandwidth() * 1e-9)});
  std::cout << table.text();
}

void write_json(const CollectiveOptions& options, const CollectiveAnswer& answer) {
  JsonWriter json(std::cout);
  json.begin_object();
  json.member("collective", options.collective);
  json.member("algorithm", answer.algorithm);
  json.member("ranks", options.ranks);
  json.member("size_bytes", answer.size.count());
  json.member("engine", options.engine);
  json.member("time_s", answer.time.count());
  json.member("closed_form_s", answer.closed_form.count());
  json.member("textbook_form_s", answer.textbook.count());
  json.member("algorithm_bandwidth_bytes_per_s", answer.algorithm_bandwidth());
  json.member("bus_bandwidth_bytes_per_s", answer.bus_bandwidth());
  json.end_object();
  std::cout << '\n';
}

void play(const CollectiveOptions& options) {
  const CollectiveKind kind = collective_from_name(options.collective);
  if (kind == CollectiveKind::kOpaque) {
    throw InputError(
        fmt::format("--collective: \"{}\" found; accepted: all_reduce, all_gather, "
                    "reduce_scatter, broadcast",
                    options.collective));
  }
  const AlgorithmEntry& entry = find_algorithm(kind, options.algorithm);
  const Bytes size = parse_bytes(options.size, "--size");
  const Cluster cluster = one_switch(options);
  const std::shared_ptr<const Schedule> schedule =
      entry.make(call_of(options, kind, size), options.ranks);
  const Plan plan = make_collective_plan(schedule, LatencyMode::kBlocking);
  CollectiveAnswer answer;
  answer.size = size;
  answer.time = time_of(options, *schedule, plan, cluster);
  answer.closed_form = schedule->closed_form(cluster.nic.latency, cluster.nic.bandwidth);
  answer.textbook = schedule->textbook_form(cluster.nic.latency, cluster.nic.bandwidth);
  answer.bus_factor = entry.bus_factor(options.ranks);
  answer.formula = entry.formula;
  answer.algorithm = entry.algorithm;
  options.json ? write_json(options, answer) : write_text(options, answer);
}

}  // namespace

void add_collective_command(CLI::App& app) {
  auto options = std::make_shared<CollectiveOptions>();
  CLI::App* command = app.add_subcommand(
      "collective", "Time, algorithm and bus bandwidth of one collective on one switch");
  command->add_option("--collective", options->collective,
                      "all_reduce (default), all_gather, reduce_scatter, broadcast");
  command->add_option("--algorithm", options->algorithm,
                      "ring, or chain for broadcast; default the collective's first");
  command->add_option("--ranks", options->ranks, "Ranks, one a node, 2 or more")
      ->required()
      ->check(CLI::Range(2, 65536));
  command->add_option("--size", options->size, "Size as nccl-tests count it: 100MB, 25MiB")
      ->required();
  command->add_option("--dtype", options->dtype, "Element type; default float32");
  command
      ->add_option("--bandwidth", options->bandwidth, "Speed of every link, each direction: 10Gbps")
      ->required();
  command->add_option("--latency", options->latency, "Latency of one message: 20us")->required();
  command->add_option("--engine", options->engine, "simgrid (default), recurrence, formula");
  command->add_option("--simgrid-mode", options->simgrid_mode, "coupled (default), step");
  command->add_flag("--json", options->json, "One JSON object on standard output");
  command->callback([options] { play(*options); });
}

}  // namespace gradwire
