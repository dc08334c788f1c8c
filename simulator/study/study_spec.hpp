#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "simulator/collectives/latency_mode.hpp"
#include "simulator/study/estimator.hpp"
#include "simulator/study/workload_file.hpp"
#include "simulator/workload/bucketing.hpp"
#include "simulator/workload/workload.hpp"

namespace gradwire {

/// A grid of questions: all combinations of its lists, none of which is empty.
struct GridSpec {
  std::string name;
  std::string description;
  std::vector<std::size_t> workloads;  ///< indices into StudySpec::workloads
  Cluster cluster;
  std::vector<int> workers;
  std::vector<BitsPerSecond> bandwidths;         ///< between nodes
  std::vector<Seconds> latencies;                ///< between nodes
  std::vector<std::string> compressors;          ///< spellings with every parameter
  std::vector<double> compute_speedups = {1.0};  ///< backward kernels so many times as fast
  bool encode_with_compute = false;  ///< encode and decode get faster with the compute speed-up
  std::vector<double> encode_divisors = {1.0};  ///< encode and decode take so many times less
  std::vector<double> payload_growths = {1.0};  ///< wire bytes grow by this times the divisor
  std::vector<std::string> what_ifs = {""};     ///< texts of parse_what_ifs; empty for none
  CompressionMode mode = CompressionMode::kSerial;
  /// Of shuffled_nodes; absent for nodes in order.
  std::vector<std::optional<std::uint64_t>> shuffle_seeds = {std::nullopt};
  std::optional<SecondJob> second_job;
  std::string all_gather = "ring";
  std::string all_reduce = "ring";
  std::vector<Estimator> estimators;  ///< the first is the main one
  BucketCaps caps;
  LatencyMode latency_mode = LatencyMode::kBlocking;
  SimgridMode simgrid_mode = SimgridMode::kCoupled;  ///< of every simulation
};

/// Cells of a grid; an empty list asks for all.
struct CellSelection {
  std::size_t grid = 0;
  std::vector<std::size_t> workloads;
  std::vector<int> workers;
};

/// Cells of which wins, ties and losses are counted together.
struct CountSpec {
  std::string name;
  std::string description;
  std::vector<CellSelection> cells;
};

/// Which cells a claim is about; what is absent is not asked for.
struct CellFilter {
  std::size_t grid = 0;
  std::optional<std::size_t> workload;
  std::optional<std::string> compressor;  ///< with every parameter
  std::optional<int> workers;
  std::optional<double> compute_speedup;
  std::string baseline = "float32";
};

/// Whether the grid's network is more than one switch of equal NICs with this job alone on it, so
/// that its verdicts are compared with those of a formula that knows no more than that.
bool is_contended(const GridSpec& grid);

/// How the grid's simulations are played.
SimgridSettings simgrid_settings(const GridSpec& grid);

/// What somebody else found, to stand beside what we find.
struct ClaimSpec {
  std::string claim;
  std::string standing;
  std::string source;
  std::optional<double> low;  ///< the claim's value lies between; at least one is there
  std::optional<double> high;
  std::string unit;
  std::string measure;  ///< one of claim_measures()
  CellFilter cells;
};

/// A recount of a grid's wins with each uncertain input at other values.
struct SensitivitySpec {
  std::size_t grid = 0;
  std::string baseline = "float32";
  std::optional<double> target_share;  ///< which single input would bring the share of wins to this
  std::string target_source;
};

/// Grids over the same workloads.
struct StudySpec {
  std::string name;
  std::string description;
  std::vector<WorkloadSource> workloads;  ///< each with a name
  std::vector<GridSpec> grids;
  std::vector<CountSpec> counts;
  std::vector<ClaimSpec> claims;
  std::vector<SensitivitySpec> sensitivities;
  Replay replay = Replay::kRecorded;
  /// Compressors as the file writes them, by their spelling with every parameter.
  std::map<std::string, std::string> labels;
  /// The study's own file and every other it names, in a fixed order; the program's catalogue
  /// apart.
  std::vector<std::filesystem::path> files;
};

/// Reads a study from .txtpb. Throws InputError naming file, grid and field: unknown field (line,
/// column), empty lists, an entry named twice, unitless values, a cluster that is not there.
StudySpec read_study(const std::filesystem::path& path);

/// `compressor` as the study's file writes it.
const std::string& label_of(const StudySpec& spec, const std::string& compressor);

/// "recorded", "compacted".
std::string_view name_of(Replay replay);

/// Throws InputError listing the replays when `name` is none.
Replay replay_from_name(std::string_view name);

}  // namespace gradwire
