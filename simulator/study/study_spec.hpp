#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "simulator/collectives/latency_mode.hpp"
#include "simulator/study/estimator.hpp"
#include "simulator/workload/bucketing.hpp"
#include "simulator/workload/workload.hpp"

namespace gradwire {

/// A grid of questions: every trace with every count of workers, bandwidth and latency.
struct StudySpec {
  std::string name;
  std::string description;
  std::vector<std::filesystem::path> traces;
  Cluster cluster;
  std::vector<int> workers;
  std::vector<BitsPerSecond> bandwidths;  ///< between nodes; at least one
  std::vector<Seconds> latencies;         ///< between nodes; at least one
  std::vector<std::string> compressors;   ///< spellings with every parameter; at least one
  std::vector<Estimator> estimators;      ///< at least one; the first is the main one
  Replay replay = Replay::kRecorded;
  BucketCaps caps;
  LatencyMode latency_mode = LatencyMode::kBlocking;
};

/// Reads a study from .txtpb. Throws InputError naming file and field: unknown field (line,
/// column), empty lists, an entry named twice, unitless values, a cluster that is not there.
StudySpec read_study(const std::filesystem::path& path);

/// "recorded", "compacted".
std::string_view name_of(Replay replay);

/// Throws InputError listing the replays when `name` is none.
Replay replay_from_name(std::string_view name);

}  // namespace gradwire
