#include "simulator/study/claims.hpp"

namespace gradwire {
namespace {

bool is_chosen(const CellFilter& filter, const StudyRow& row) {
  const CellKey& key = row.key;
  return row.has_answer() && key.grid == filter.grid &&
         key.workload == filter.workload.value_or(key.workload) &&
         key.compressor == filter.compressor.value_or(key.compressor) &&
         key.workers == filter.workers.value_or(key.workers) &&
         key.compute_speedup == filter.compute_speedup.value_or(key.compute_speedup);
}

double distance_of(double ours, const ClaimSpec& claim) {
  if (claim.low && ours < *claim.low) return ours / *claim.low - 1.0;
  if (claim.high && ours > *claim.high) return ours / *claim.high - 1.0;
  return 0.0;
}

}  // namespace

std::vector<ClaimResult> judge_claims(const StudySpec& spec, const std::vector<StudyRow>& rows,
                                      CellEvaluator& evaluator) {
  std::vector<ClaimResult> results;
  for (const ClaimSpec& claim : spec.claims) {
    std::vector<const StudyRow*> chosen;
    for (const StudyRow& row : rows) {
      if (is_chosen(claim.cells, row)) chosen.push_back(&row);
    }
    ClaimResult& result = results.emplace_back();
    result.claim = &claim;
    if (chosen.empty()) continue;
    result.ours = find_claim_measure(claim.measure).take(claim, chosen, evaluator);
    if (result.ours) result.distance = distance_of(*result.ours, claim);
  }
  return results;
}

}  // namespace gradwire
