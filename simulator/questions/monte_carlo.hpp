#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulator/scenario/scenario.hpp"

namespace gradwire {

/// How the compute of ranks varies from iteration to iteration. A rank's factor in one iteration,
/// on all its device work, is the product of its own (Scenario::compute_factors), one of
/// `recorded`, and lognormal ones; ranks and iterations are independent.
struct ComputeJitter {
  std::vector<double> recorded;  ///< each as likely as the others; empty for none
  double sigma = 0.0;            ///< of every rank's lognormal factor: of its logarithm, median 1
  std::vector<double> rank_sigmas;  ///< of a second one of each rank; empty for none
};

struct MonteCarloSettings {
  int samples = 1000;  ///< 1 or more
  std::uint64_t seed = 1;
};

/// Of a time over the samples. A percentile is the smallest value that at least that share of the
/// samples does not exceed.
struct TimeSpread {
  Seconds p5{0};
  Seconds p50{0};
  Seconds p95{0};
  Seconds mean{0};
};

/// Of a speed-up (baseline over compressed) over the samples, with the same factors on both sides.
struct SpeedupSpread {
  std::string baseline;  ///< "float32", "fp16"
  double p5 = 1.0;
  double p50 = 1.0;
  double p95 = 1.0;
  double mean = 1.0;
  double win_share = 0.0;  ///< of the samples in which the compressor wins (outcome_at)
};

struct MonteCarlo {
  MonteCarloSettings settings;
  TimeSpread backward_sync;
  std::vector<SpeedupSpread> speedups;  ///< with a compressor; the baselines that verdicts have
};

/// The compute factors of all ranks in sample `sample`, which `seed` and `sample` alone decide.
/// Requires positive factors, and sigmas of 0 or more.
std::vector<double> draw_factors(const Scenario& scenario, const ComputeJitter& jitter,
                                 std::uint64_t seed, int sample);

/// Backward plus synchronisation over many iterations, by the recurrence engine; the scenario's
/// latency jitter draws anew in each. Throws InputError
/// where links are shared, and for compression that is overlapped or replayed kernel by kernel.
MonteCarlo play_samples(const Scenario& scenario, const ComputeJitter& jitter,
                        const MonteCarloSettings& settings);

}  // namespace gradwire
