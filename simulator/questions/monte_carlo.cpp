#include "simulator/questions/monte_carlo.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/errors.hpp"
#include "compressors/reference/random.hpp"
#include "compressors/spec/registry.hpp"
#include "simulator/engine/recurrence/recurrence_engine.hpp"
#include "simulator/plan/planner.hpp"
#include "simulator/scenario/contention.hpp"
#include "simulator/study/verdict.hpp"

namespace gradwire {
namespace {

/// Which of a rank's random numbers of one sample.
enum Draw : std::uint64_t { kRecorded, kCommon, kOwn };

double lognormal(double sigma, RandomKey key, std::uint32_t sample, Draw draw) {
  if (sigma == 0.0) return 1.0;
  return std::exp(sigma * random_normal(random_bits(key, sample, draw)));
}

/// A plan that is made once and played with other factors again and again.
class SampledPlan {
 public:
  explicit SampledPlan(const Scenario& scenario)
      : plan_(make_plan(scenario)), jitter_(plan_.latency_jitter) {}

  /// In seconds.
  double play(const std::vector<double>& factors, int sample, const Cluster& cluster) {
    const bool equal =
        std::all_of(factors.begin(), factors.end(), [](double factor) { return factor == 1.0; });
    plan_.compute_factors = equal ? std::vector<double>{} : factors;
    if (jitter_) plan_.latency_jitter = of_sample(*jitter_, sample);
    return quick_recurrence_end(plan_, cluster).count();
  }

 private:
  Plan plan_;
  std::optional<LatencyJitter> jitter_;
};

/// The smallest of `sorted` that at least `percent` % of them do not exceed.
double percentile(const std::vector<double>& sorted, std::size_t percent) {
  return sorted[(percent * sorted.size() + 99) / 100 - 1];
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

TimeSpread spread_of(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  return {Seconds{percentile(seconds, 5)}, Seconds{percentile(seconds, 50)},
          Seconds{percentile(seconds, 95)}, Seconds{mean(seconds)}};
}

/// A baseline and its times in the samples.
struct SampledBaseline {
  std::string name;
  SampledPlan plan;
  std::vector<double> seconds;
};

SpeedupSpread speedup_over(const SampledBaseline& baseline, const std::vector<double>& seconds) {
  std::vector<double> speedups;
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    speedups.push_back(baseline.seconds[i] / seconds[i]);
  }
  const auto wins = std::count_if(speedups.begin(), speedups.end(), [](double speedup) {
    return outcome_at(speedup) == Outcome::kWin;
  });
  std::sort(speedups.begin(), speedups.end());
  return {baseline.name,
          percentile(speedups, 5),
          percentile(speedups, 50),
          percentile(speedups, 95),
          mean(speedups),
          static_cast<double>(wins) / static_cast<double>(speedups.size())};
}

std::vector<SampledBaseline> baselines_of(const Scenario& scenario) {
  std::vector<SampledBaseline> baselines;
  const Scheme* scheme = scenario.compression.scheme.get();
  if (scheme == nullptr) return baselines;
  Scenario without = scenario;
  without.compression = {};
  baselines.push_back({"float32", SampledPlan{without}, {}});
  if (scheme->spelling() != "fp16") {
    without.compression.scheme = parse_scheme("fp16");
    baselines.push_back({"fp16", SampledPlan{without}, {}});
  }
  return baselines;
}

}  // namespace

std::vector<double> draw_factors(const Scenario& scenario, const ComputeJitter& jitter,
                                 std::uint64_t seed, int sample) {
  const auto exchange = static_cast<std::uint32_t>(sample);
  const std::vector<double> own = rank_factors(scenario);
  std::vector<double> factors;
  for (int rank = 0; rank < scenario.workers; ++rank) {
    const auto r = static_cast<std::size_t>(rank);
    const RandomKey key = own_key(seed, rank);
    double factor = own.empty() ? 1.0 : own[r];
    if (!jitter.recorded.empty()) {
      const std::uint64_t bits = random_bits(key, exchange, kRecorded)[0];
      factor *= jitter.recorded[random_below(bits, jitter.recorded.size())];
    }
    factor *= lognormal(jitter.sigma, key, exchange, kCommon);
    if (!jitter.rank_sigmas.empty()) {
      factor *= lognormal(jitter.rank_sigmas[r], key, exchange, kOwn);
    }
    factors.push_back(factor);
  }
  return factors;
}

MonteCarlo play_samples(const Scenario& scenario, const ComputeJitter& jitter,
                        const MonteCarloSettings& settings) {
  GW_CHECK(settings.samples >= 1, "a distribution needs samples");
  if (links_are_shared(scenario)) {
    throw InputError(
        "jitter: found where links are shared, which the recurrence that plays the samples does "
        "not "
        "model; a network without contention is accepted");
  }
  SampledPlan plan(scenario);
  std::vector<SampledBaseline> baselines = baselines_of(scenario);
  std::vector<double> seconds;
  for (int sample = 0; sample < settings.samples; ++sample) {
    const std::vector<double> factors = draw_factors(scenario, jitter, settings.seed, sample);
    seconds.push_back(plan.play(factors, sample, scenario.cluster));
    for (SampledBaseline& baseline : baselines) {
      baseline.seconds.push_back(baseline.plan.play(factors, sample, scenario.cluster));
    }
  }
  MonteCarlo result;
  result.settings = settings;
  for (const SampledBaseline& baseline : baselines) {
    result.speedups.push_back(speedup_over(baseline, seconds));
  }
  result.backward_sync = spread_of(std::move(seconds));
  return result;
}

}  // namespace gradwire
