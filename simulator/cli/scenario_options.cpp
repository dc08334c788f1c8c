#include "simulator/cli/scenario_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/errors.hpp"
#include "base/number_text.hpp"
#include "base/unit_text.hpp"
#include "simulator/cli/seed_option.hpp"
#include "simulator/engine/simgrid/find_any_cluster.hpp"
#include "simulator/scenario/ring_order.hpp"
#include "simulator/study/study_spec.hpp"
#include "simulator/study/workload_file.hpp"
#include "traces/importers/registry.hpp"

namespace gradwire {
namespace {

constexpr const char* kDefaultCluster = "study-24x4-v100-10g";
constexpr const char* kDefaultNicLatency = "25us";     // assumed: 10 to 50 us for TCP between hosts
constexpr const char* kDefaultIntra = "25GB/s";        // one NVLink 2.0 link, each direction
constexpr const char* kDefaultIntraLatency = "3.4us";  // NCCL's own estimate of an NVLink hop

Cluster cluster_of(const ScenarioOptions& options, std::vector<std::string>& basis) {
  if (options.nodes == 0) {
    Cluster cluster = find_any_cluster(options.cluster.empty() ? kDefaultCluster : options.cluster);
    basis.push_back(fmt::format("cluster {}: {}", cluster.name, cluster.description));
    return cluster;
  }
  if (!options.cluster.empty()) {
    throw InputError("--cluster and --nodes: both found; one of them is accepted");
  }
  if (options.nic.empty()) {
    throw InputError("--nic: none found; with --nodes a bandwidth is needed, as in --nic 25Gbps");
  }
  Cluster cluster;
  cluster.name = fmt::format("{}x{}", options.nodes, options.gpus_per_node);
  cluster.nodes = options.nodes;
  cluster.gpus_per_node = options.gpus_per_node;
  cluster.nic.bandwidth = parse_bandwidth(options.nic, "--nic");
  cluster.nic.latency = parse_duration(kDefaultNicLatency, "--nic-latency");
  cluster.nic_latency_band = LatencyBand{Seconds{10e-6}, Seconds{50e-6}};
  cluster.intra = {
      parse_bandwidth(options.intra.empty() ? kDefaultIntra : options.intra, "--intra"),
      parse_duration(options.intra_latency.empty() ? kDefaultIntraLatency : options.intra_latency,
                     "--intra-latency")};
  if (options.gpus_per_node > 1) {
    basis.push_back(fmt::format("inside a node {} and {}{}",
                                format_bandwidth(cluster.intra.bandwidth),
                                format_duration(cluster.intra.latency),
                                options.intra.empty() ? " (assumed: one NVLink 2.0 link)" : ""));
  }
  return cluster;
}

void apply_network_options(const ScenarioOptions& options, Cluster& cluster) {
  if (!options.bandwidth.empty()) {
    cluster.nic.bandwidth = parse_bandwidth(options.bandwidth, "--bandwidth");
  }
  if (!options.nic_latency.empty()) {
    cluster.nic.latency = parse_duration(options.nic_latency, "--nic-latency");
    cluster.nic_latency_band.reset();
  }
}

/// The factor that the user gives instead of the device's profile.
void apply_slowdown_option(const std::string& text, Assumptions& assumptions) {
  const std::optional<double> factor = number_from<double>(text);
  if (!factor) {
    throw InputError(
        fmt::format("--overlap-slowdown: \"{}\" found; a factor of 1 or more is accepted", text));
  }
  assumptions.slowdown = assumptions.slowdown_low = assumptions.slowdown_high = *factor;
  assumptions.basis.front() =
      fmt::format("compute takes {} times as long while communicating (as given)", *factor);
}

void add_contention(const ScenarioOptions& options, Scenario& scenario) {
  if (!options.all_gather.empty()) scenario.all_gather = options.all_gather;
  if (!options.all_reduce.empty()) scenario.all_reduce = options.all_reduce;
  if (options.shuffle_seed) {
    scenario.ring_order = shuffled_nodes(scenario.cluster, scenario.workers, *options.shuffle_seed);
  }
  if (options.second_job.empty()) return;
  const std::size_t comma = options.second_job.find(',');
  SecondJob& job = scenario.second_job.emplace();
  job.payload = parse_bytes(options.second_job.substr(0, comma), "--second-job");
  if (comma != std::string::npos) {
    job.compute = parse_duration(options.second_job.substr(comma + 1), "--second-job");
  }
}

}  // namespace

GivenCost given_cost(const ScenarioOptions& options) {
  GivenCost given;
  if (!options.encode_time.empty()) {
    given.encode = parse_duration(options.encode_time, "--encode-time");
  }
  if (!options.decode_time.empty()) {
    given.decode = parse_duration(options.decode_time, "--decode-time");
  }
  if (!options.cost_profile.empty()) given.profile = read_cost_profile(options.cost_profile);
  if (!options.compressor_trace.empty()) {
    given.timeline = std::make_shared<const CompressorTimeline>(make_compressor_timeline(
        import_trace(options.compressor_trace, {}).trace, options.compressor_trace));
  }
  const bool times = given.encode || given.decode;
  if (int{times} + int{given.profile.has_value()} + int{given.timeline != nullptr} > 1) {
    throw InputError(
        "--encode-time and --decode-time, --cost-profile, --compressor-trace: several found; one "
        "of "
        "the three is accepted");
  }
  return given;
}

namespace {

void add_compressor(const ScenarioOptions& options, const std::string& device, Scenario& scenario) {
  const GivenCost given = given_cost(options);
  if (options.compressor.empty()) {
    if (given.encode || given.decode || given.profile || given.timeline || !options.mode.empty()) {
      throw InputError(
          "--mode, --encode-time, --decode-time, --cost-profile, --compressor-trace: found without "
          "--compressor");
    }
    return;
  }
  const CompressionMode mode =
      options.mode.empty() ? CompressionMode::kSerial : compression_mode_from_name(options.mode);
  scenario.compression =
      choose_compressor(options.compressor, scenario, device, mode, given).compression;
}

void describe_compressor(const std::string& device, Question& question) {
  const Compression& compression = question.scenario.compression;
  if (!compression.scheme) return;
  question.compressor = describe_compressor(question.scenario, device);
  auto& basis = question.assumptions.basis;
  basis.insert(basis.end(), question.compressor->basis.begin(), question.compressor->basis.end());
  if (!compression.scheme->cast_size()) basis.push_back(mode_basis(compression.mode));
}

/// Changes the question, whose scenario is whole, as the user asks.
void apply_what_ifs(const ScenarioOptions& options, const std::string& device, Question& question) {
  const std::vector<WhatIf> what_ifs =
      parse_what_ifs(fmt::format("{}", fmt::join(options.what_ifs, ";")), "--what-if");
  if (what_ifs.empty()) return;
  const Scenario asked = question.scenario;
  question.scenario = with_what_ifs(asked, what_ifs);
  check_scenario(question.scenario);
  question.what_ifs = what_if_effects(asked, what_ifs);
  question.assumptions = assumptions_of_changed(asked, question.scenario, device);
}

WorkloadSource workload_source(const ScenarioOptions& options) {
  WorkloadSource source;
  source.trace = options.trace;
  source.parameters = options.parameters;
  source.batch = options.batch;
  source.recorded_batch = options.recorded_batch;
  if (!options.backward_time.empty()) {
    source.backward = parse_duration(options.backward_time, "--backward-time");
    source.backward_source = "as given by --backward-time";
  }
  return source;
}

/// The trace, and the batch or length of its backward pass.
void add_workload_options(CLI::App& command, ScenarioOptions& options) {
  command
      .add_option("--trace", options.trace,
                  "Trace: .gwt, a PyTorch profiler file (.json, .json.gz), or a gradient list "
                  "(.csv, .json)")
      ->required();
  command.add_option("--parameters", options.parameters,
                     "CSV parameter,shape with the sizes that the trace lacks");
  command
      .add_option("--batch", options.batch,
                  "Samples a rank and iteration: the backward pass is scaled to it in proportion")
      ->check(CLI::Range(1, 1'000'000'000));
  command
      .add_option("--recorded-batch", options.recorded_batch,
                  "Batch behind the trace's times; default what the trace states")
      ->check(CLI::Range(1, 1'000'000'000));
  command.add_option("--backward-time", options.backward_time,
                     "The backward pass takes this long (at --batch), its ready times in "
                     "proportion: 235ms");
}

/// The cluster by name, or by its figures, which mean nothing without --nodes.
void add_cluster_options(CLI::App& command, ScenarioOptions& options) {
  command.add_option(
      "--cluster", options.cluster,
      fmt::format("Cluster of the catalogue, .txtpb file or SimGrid platform .xml; default {}",
                  kDefaultCluster));
  CLI::Option* nodes = command.add_option("--nodes", options.nodes, "Nodes, instead of --cluster")
                           ->check(CLI::Range(1, 1'000'000));
  command.add_option("--gpus-per-node", options.gpus_per_node, "GPUs a node; default 1")
      ->check(CLI::Range(1, 1'000'000))
      ->needs(nodes);
  command.add_option("--nic", options.nic, "NIC speed each direction: 25Gbps")->needs(nodes);
  command.add_option(
      "--nic-latency", options.nic_latency,
      "Latency of one message between nodes: 20us; default the cluster's, 25us with --nodes");
  command.add_option("--intra", options.intra, "Speed between GPUs of a node; default 25GB/s")
      ->needs(nodes);
  command
      .add_option("--intra-latency", options.intra_latency,
                  "Latency of one message inside a node; default 3.4us")
      ->needs(nodes);
}

/// "What is changed, as in ...", with every verb.
std::string what_if_description() {
  std::string text =
      "A change of all that the other options ask; repeatable, or several separated by \";\", "
      "applied in their order:";
  for (const WhatIfVerb& verb : what_if_verbs()) {
    text += fmt::format("\n  {}={}: {}", verb.name, verb.form, verb.summary);
  }
  return text;
}

}  // namespace

void add_scenario_options(CLI::App& command, ScenarioOptions& options) {
  add_workload_options(command, options);
  add_cluster_options(command, options);
  command.add_option("--bandwidth", options.bandwidth,
                     "NIC speed instead of the cluster's: 10Gbps");
  command.add_option("--workers", options.workers, "Ranks, one a GPU, filling nodes in order")
      ->required();
  command.add_option("--replay", options.replay,
                     "recorded (default), or compacted: without the idle gaps between kernels");
  command
      .add_option(
          "--iteration", options.iteration,
          "Which iteration of the trace, from 0; default the one with the median backward span")
      ->check(CLI::NonNegativeNumber);
  command.add_option("--first-bucket", options.first_bucket,
                     "DDP's first bucket cap; default 1MiB");
  command.add_option("--bucket-cap", options.bucket_cap, "DDP's bucket cap; default 25MiB");
  command.add_option("--latency-mode", options.latency_mode,
                     "How a round's latency counts: blocking (default), overlapped, mean");
  command.add_option("--overlap-slowdown", options.overlap_slowdown,
                     "Factor on compute while the rank communicates; default the device's profile");
  add_seed_option(command, "--shuffle-seed", options.shuffle_seed,
                  "Rings go through the nodes in an order that this number decides; default in "
                  "order");
  command.add_option("--second-job", options.second_job,
                     "Another job on the same nodes, again and again: what it all-reduces and how "
                     "long it computes in between, as in 100MB,50ms");
  command.add_option("--all-gather", options.all_gather,
                     "Algorithm of all-gathers: ring (default), pairwise, bruck, "
                     "recursive_doubling");
  command.add_option("--all-reduce", options.all_reduce,
                     "Algorithm of all-reduces: ring (default), double_tree and others of "
                     "docs/collectives.md, or nccl for what NCCL would take");
  add_condition_options(command, options.conditions);
  command.add_option("--compressor", options.compressor,
                     "Compressor of the gradients, as in powersgd:rank=4; `gradwire compressors` "
                     "lists them");
  command.add_option("--mode", options.mode,
                     "When to compress: serial (default), after the whole backward pass, or "
                     "overlapped, each bucket by a hook beside it");
  command.add_option("--cost-profile", options.cost_profile,
                     "Encode and decode times from this .txtpb, instead of the device's profile");
  command.add_option("--compressor-trace", options.compressor_trace,
                     "Trace of the compressor itself, whose kernels are replayed one by one");
  command.add_option("--encode-time", options.encode_time,
                     "Encoding all gradients takes this long, instead of the cost profile's: 20ms");
  command.add_option("--decode-time", options.decode_time, "The same for decoding");
  command.add_option("--what-if", options.what_ifs, what_if_description());
}

Question make_question(const ScenarioOptions& options) {
  Question question;
  Scenario& scenario = question.scenario;
  std::vector<std::string> cluster_basis;
  scenario.cluster = cluster_of(options, cluster_basis);
  apply_network_options(options, scenario.cluster);
  scenario.workers = options.workers;
  if (!options.first_bucket.empty()) {
    scenario.caps.first = parse_bytes(options.first_bucket, "--first-bucket");
  }
  if (!options.bucket_cap.empty())
    scenario.caps.rest = parse_bytes(options.bucket_cap, "--bucket-cap");
  if (!options.latency_mode.empty()) {
    scenario.latency_mode = latency_mode_from_name(options.latency_mode);
  }
  WorkloadOptions workload;
  if (!options.replay.empty()) workload.replay = replay_from_name(options.replay);
  if (options.iteration >= 0) workload.iteration = options.iteration;
  scenario.workload = read_workload(workload_source(options), workload);
  const std::string device = scenario.workload->device_name.empty()
                                 ? scenario.cluster.device
                                 : scenario.workload->device_name;
  question.assumptions = make_assumptions(scenario.workload, device, scenario.cluster);
  if (!options.overlap_slowdown.empty()) {
    apply_slowdown_option(options.overlap_slowdown, question.assumptions);
  }
  scenario.overlap_slowdown = question.assumptions.slowdown;
  add_contention(options, scenario);
  apply_conditions(options.conditions, scenario);
  check_scenario(scenario);
  add_compressor(options, device, scenario);
  apply_what_ifs(options, device, question);
  auto& basis = question.assumptions.basis;
  basis.push_back(scenario.workload->compute_basis);
  basis.insert(basis.end(), cluster_basis.begin(), cluster_basis.end());
  const std::vector<std::string> conditions = conditions_basis(scenario);
  basis.insert(basis.end(), conditions.begin(), conditions.end());
  describe_compressor(device, question);
  return question;
}

}  // namespace gradwire
