#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "simulator/gloo/gloo_host.hpp"
#include "simulator/scenario/scenario.hpp"
#include "simulator/validation/collective_cases.hpp"
#include "simulator/validation/measured_network.hpp"
#include "simulator/workload/bucketing.hpp"

namespace gradwire {

/// Which of an answer's times a case scores.
enum class ScoredTime { kBackwardSync, kIteration, kCollective };

/// "backward_sync", "iteration", "collective".
std::string_view name_of(ScoredTime time);

/// How far an answer is from a measurement.
enum class ErrorRule {
  kMedian,        ///< from the median; none inside the measured range
  kOutsideRange,  ///< from the nearer end of the measured range; none inside it
};

/// Where the difference between a trace's backward pass and the measured one goes.
enum class AloneSpread {
  kScale,  ///< all ready times grow by one factor
  kBytes,  ///< each gradient is later by its bytes' share: making it takes its bytes' time
};

/// What a set's errors are to be at most, as shares (0.015 is 1.5 %). Absent: not asked for.
struct Aim {
  std::optional<double> median;
  std::optional<double> p90;
  std::optional<double> worst;
  /// Besides, at most so many times the baseline's median and 90th percentile.
  std::optional<double> baseline_share;
  /// At least: the balanced accuracy of "compression helps" (verdict_score.hpp).
  std::optional<double> verdict_accuracy;
};

struct MeasuredWorkload {
  std::string name;
  std::filesystem::path trace;
  std::optional<Seconds> alone;  ///< its backward pass, measured without communication
  std::string alone_source;
  AloneSpread spread = AloneSpread::kScale;
  /// Parameter names, a line each, as the model registered them; empty when not known.
  std::filesystem::path registration{};
  std::optional<Seconds> outside{};  ///< rest of an iteration; absent: what the trace tells of it
  std::string outside_source{};
};

/// A measured time and what scores it.
struct Measurement {
  Seconds median{0};
  std::optional<Seconds> low;  ///< the smallest sample; absent where only the median is known
  std::optional<Seconds> high;
  int samples = 0;  ///< 0 when unknown
  std::string source;
  ScoredTime scores = ScoredTime::kBackwardSync;
};

/// A training run that somebody measured: ranks on nodes whose links have one speed.
struct MeasuredCase {
  std::string name;
  std::size_t workload = 0;  ///< index into ValidationSet::workloads
  std::size_t network = 0;   ///< index into ValidationSet::networks
  int ranks = 0;
  int gpus_per_node = 1;
  std::string all_reduce = "ring";  ///< algorithm, as Scenario::all_reduce has it
  BitsPerSecond bandwidth;          ///< of the link, before the payload efficiency
  BucketCaps caps;
  bool initial_buckets = false;  ///< DDP's of the first iteration, else as rebuilt after it
  std::string compressor;        ///< spelling; "none" without
  std::optional<Seconds> encode;
  std::optional<Seconds> decode;
  std::string cost_source;
  CompressionMode mode = CompressionMode::kSerial;
  double slow_rank = 1.0;  ///< the device of rank 1 takes so many times as long
  std::optional<SecondJob> second_job;
  Measurement measured;
};

/// Cells whose answer a closed form knows, drawn from a seed.
struct RandomCells {
  std::uint32_t seed = 0;
  int cells = 0;
  std::string source;
};

/// A trace of real data-parallel training, whose all-reduces' starts are scored.
struct RecordedTrace {
  std::string name;
  std::filesystem::path trace;
  std::filesystem::path parameters;  ///< CSV with the sizes that the trace lacks; empty for none
  BucketCaps caps;
  std::string source;
};

/// One file of docs/formats/validation.md. Exactly one of `cases`, `random`, `recorded`, `claims`
/// and `collectives` is there.
struct ValidationSet {
  std::filesystem::path file;
  std::string name;
  std::string description;
  std::string source;
  ErrorRule rule = ErrorRule::kMedian;
  Aim aim;
  std::string likely_cause;
  std::vector<std::string> skipped;
  /// What was fitted to figures of the same source that no case scores, one sentence each.
  std::vector<std::string> calibrated;
  std::vector<std::string> assumed;  ///< what the source does not tell, and what is taken instead
  std::vector<MeasuredWorkload> workloads;
  std::vector<MeasuredNetwork> networks;
  bool decode_apart = false;  ///< decoding takes nothing from the backward pass beside it
  std::string decode_apart_source;
  double overlap_slowdown = 1.0;  ///< as Scenario has it; known to the estimators alone
  std::string overlap_slowdown_source;
  std::optional<GlooHost> gloo;  ///< absent: the collectives are not Gloo's
  std::vector<MeasuredCase> cases;
  std::optional<RandomCells> random;
  std::vector<RecordedTrace> recorded;
  std::filesystem::path claims;  ///< a study whose claims are judged; empty for none
  std::vector<CollectiveNetwork> collective_networks;
  std::vector<CollectiveCase> collectives;
};

/// Reads a set. Throws InputError naming file, case and field: an unknown field, a figure without
/// source, a range that does not hold the median, a case of an unknown workload.
ValidationSet read_validation_set(const std::filesystem::path& path);

/// The sets that `paths` name: files, or folders whose .txtpb files are taken in order of their
/// names. Throws InputError when a path is neither or a folder holds none.
std::vector<std::filesystem::path> validation_files(
    const std::vector<std::filesystem::path>& paths);

}  // namespace gradwire
