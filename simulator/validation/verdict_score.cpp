#include "simulator/validation/verdict_score.hpp"

#include <algorithm>
#include <cmath>

#include "simulator/study/verdict.hpp"

namespace gradwire {
namespace {

constexpr double kNear = 0.1;

bool differ_in_compressor_alone(const MeasuredCase& one, const MeasuredCase& other) {
  return one.workload == other.workload && one.ranks == other.ranks &&
         one.network == other.network && one.gpus_per_node == other.gpus_per_node &&
         one.all_reduce == other.all_reduce && one.bandwidth == other.bandwidth &&
         one.caps == other.caps && one.initial_buckets == other.initial_buckets &&
         one.slow_rank == other.slow_rank && one.second_job == other.second_job &&
         one.measured.scores == other.measured.scores;
}

double share(std::size_t part, std::size_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

std::vector<VerdictPair> verdict_pairs(const std::vector<MeasuredCase>& cases) {
  std::vector<VerdictPair> pairs;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (cases[i].compressor == "none") continue;
    const auto found = std::find_if(cases.begin(), cases.end(), [&](const MeasuredCase& other) {
      return other.compressor == "none" && differ_in_compressor_alone(cases[i], other);
    });
    if (found != cases.end()) {
      pairs.push_back({i, static_cast<std::size_t>(found - cases.begin())});
    }
  }
  return pairs;
}

std::optional<double> VerdictScore::balanced_accuracy() const {
  if (helps == 0 || harms == 0) return std::nullopt;
  return (share(helps_found, helps) + share(harms_found, harms)) / 2.0;
}

double VerdictScore::accuracy() const {
  return helps + harms == 0 ? 0.0 : share(helps_found + harms_found, helps + harms);
}

double VerdictScore::majority() const {
  return helps + harms == 0 ? 0.0 : share(std::max(helps, harms), helps + harms);
}

void VerdictScore::add(double measured_speedup, double predicted_speedup) {
  ++pairs;
  if (std::abs(measured_speedup - 1.0) <= kNear) ++near;
  const Outcome measured = outcome_at(measured_speedup);
  if (measured == Outcome::kTie) return;
  const bool helps_in_fact = measured == Outcome::kWin;
  const bool right = helps_in_fact == (predicted_speedup > 1.0);
  ++(helps_in_fact ? helps : harms);
  if (right) ++(helps_in_fact ? helps_found : harms_found);
}

}  // namespace gradwire
