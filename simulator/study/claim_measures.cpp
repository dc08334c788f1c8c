#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/errors.hpp"
#include "simulator/scenario/what_if.hpp"
#include "simulator/study/claims.hpp"
#include "simulator/study/estimator.hpp"
#include "simulator/study/win_count.hpp"

namespace gradwire {
namespace {

using Rows = std::vector<const StudyRow*>;

constexpr double kWantedEfficiency = 0.9;

std::optional<double> win_share_percent(const ClaimSpec& claim, const Rows& rows, CellEvaluator&) {
  const WinCount count = count_wins(rows, claim.cells.baseline);
  if (count.cells() == 0) return std::nullopt;
  return count.share() * 100.0;
}

std::optional<double> largest_speedup(const ClaimSpec& claim, const Rows& rows, CellEvaluator&) {
  const WinCount count = count_wins(rows, claim.cells.baseline);
  if (count.best == nullptr) return std::nullopt;
  return verdict_against(*count.best, claim.cells.baseline)->speedup;
}

/// Where the speed-up over the baseline falls to 1 as the network gets faster, in Gbps: between two
/// cells a straight line over the bandwidth. The first such place.
std::optional<double> crossover_gbps(const ClaimSpec& claim, const Rows& rows, CellEvaluator&) {
  std::vector<std::pair<double, double>> points;  // Gbps, speed-up
  for (const StudyRow* row : rows) {
    const Verdict* verdict = verdict_against(*row, claim.cells.baseline);
    if (verdict != nullptr) {
      points.emplace_back(row->key.bandwidth.count() * 1e-9, verdict->speedup);
    }
  }
  std::sort(points.begin(), points.end());
  for (std::size_t i = 1; i < points.size(); ++i) {
    const auto [slow, before] = points[i - 1];
    const auto [fast, after] = points[i];
    if (before < 1.0 || after >= 1.0) continue;
    return slow + (fast - slow) * (before - 1.0) / (before - after);
  }
  return std::nullopt;
}

/// The time beyond compute at the most workers over that at the fewest.
std::optional<double> growth_with_workers(const ClaimSpec&, const Rows& rows, CellEvaluator&) {
  const auto [few, many] = std::minmax_element(
      rows.begin(), rows.end(),
      [](const StudyRow* a, const StudyRow* b) { return a->key.workers < b->key.workers; });
  return ((*many)->main() - (*many)->breakdown.compute) /
         ((*few)->main() - (*few)->breakdown.compute);
}

/// How many times less must be sent so that the bytes of the whole exchange take no longer than the
/// slowed backward pass: 2 n (p-1) / (p BW gamma T_comp), the study's near-linear scaling; latency
/// and the last bucket are left out. The largest of the chosen cells.
std::optional<double> required_compression(const ClaimSpec&, const Rows& rows,
                                           CellEvaluator& evaluator) {
  double required = 1.0;
  for (const StudyRow* row : rows) {
    const Scenario scenario = evaluator.scenario_of(row->key);
    const double share = static_cast<double>(scenario.workers - 1) / scenario.workers;
    const Seconds bytes =
        2.0 * share * (scenario.workload->total_bytes() / scenario.cluster.across().bandwidth);
    required =
        std::max(required, bytes / (scenario.overlap_slowdown * scenario.workload->backward_span));
  }
  return required;
}

/// How many times less must be sent, at no other cost, for an efficiency of 90 % by the recurrence:
/// the largest such ratio of the chosen cells; infinite when latency alone forbids it somewhere.
std::optional<double> compression_for_90_percent(const ClaimSpec&, const Rows& rows,
                                                 CellEvaluator& evaluator) {
  constexpr double kMost = 1e6;
  double required = 1.0;
  for (const StudyRow* row : rows) {
    Scenario scenario = evaluator.scenario_of(row->key);
    scenario.compression = {};
    const Seconds allowed = scenario.workload->backward_span / kWantedEfficiency;
    const auto suffices = [&](double ratio) {
      return recurrence_time(with_payload(scenario, 1.0 / ratio)) <= allowed;
    };
    if (suffices(required)) continue;
    double high = kMost;
    if (!suffices(high)) return std::numeric_limits<double>::infinity();
    while (high / required > 1.001) {
      const double middle = std::sqrt(required * high);
      (suffices(middle) ? high : required) = middle;
    }
    required = high;
  }
  return required;
}

/// Of the cells with a cheaper encode, how many are faster than the same cell with the scheme's own
/// encode and payload, in percent.
std::optional<double> helpful_cuts_percent(const ClaimSpec&, const Rows& rows, CellEvaluator&) {
  std::size_t cut = 0;
  std::size_t faster = 0;
  for (const StudyRow* row : rows) {
    if (row->key.encode_divisor <= 1.0) continue;
    const auto own = std::find_if(rows.begin(), rows.end(), [&](const StudyRow* other) {
      const CellKey& key = other->key;
      return key.encode_divisor == 1.0 && key.payload_growth == 1.0 &&
             key.workload == row->key.workload && key.workers == row->key.workers &&
             key.bandwidth == row->key.bandwidth && key.latency == row->key.latency &&
             key.compute_speedup == row->key.compute_speedup && key.what_if == row->key.what_if &&
             key.compressor == row->key.compressor;
    });
    if (own == rows.end()) continue;
    ++cut;
    faster += row->main() < (*own)->main() ? 1 : 0;
  }
  if (cut == 0) return std::nullopt;
  return 100.0 * static_cast<double>(faster) / static_cast<double>(cut);
}

/// Of the overlapped cells, how many take longer than compressing afterwards, by more than 3 %.
std::optional<double> slower_when_overlapped_percent(const ClaimSpec&, const Rows& rows,
                                                     CellEvaluator&) {
  const OverlapCount count = count_overlap(rows);
  if (count.cells == 0) return std::nullopt;
  return 100.0 * static_cast<double>(count.slower) / static_cast<double>(count.cells);
}

/// By how much the study's own form is off the main answer, at most, in percent.
std::optional<double> study_form_distance_percent(const ClaimSpec&, const Rows& rows,
                                                  CellEvaluator&) {
  std::optional<double> largest;
  for (const StudyRow* row : rows) {
    if (const std::optional<double> distance = study_form_distance(*row)) {
      largest = std::max(largest.value_or(0.0), std::abs(*distance) * 100.0);
    }
  }
  return largest;
}

}  // namespace

const std::vector<ClaimMeasure>& claim_measures() {
  static const std::vector<ClaimMeasure> kMeasures = {
      {"win_share_percent", win_share_percent},
      {"largest_speedup", largest_speedup},
      {"crossover_gbps", crossover_gbps},
      {"growth_with_workers", growth_with_workers},
      {"required_compression", required_compression},
      {"compression_for_90_percent", compression_for_90_percent},
      {"helpful_cuts_percent", helpful_cuts_percent},
      {"slower_when_overlapped_percent", slower_when_overlapped_percent},
      {"study_form_distance_percent", study_form_distance_percent},
  };
  return kMeasures;
}

const ClaimMeasure& find_claim_measure(const std::string& name) {
  std::string known;
  for (const ClaimMeasure& measure : claim_measures()) {
    if (measure.name == name) return measure;
    known += (known.empty() ? "" : ", ") + std::string{measure.name};
  }
  throw InputError(fmt::format("\"{}\" found; accepted: {}", name, known));
}

}  // namespace gradwire
