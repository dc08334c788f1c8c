#include "simulator/validation/play_claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "base/errors.hpp"
#include "simulator/study/run_study.hpp"

namespace gradwire {

std::vector<JudgedClaim> play_claims(const std::filesystem::path& file) {
  const StudySpec spec = read_study(file);
  StudySettings settings;
  settings.processes = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const StudyOutcome outcome =
      run_study(spec, settings, {[](std::size_t, std::size_t) {}, [] { return false; }});
  const auto failed = std::count_if(outcome.rows.begin(), outcome.rows.end(),
                                    [](const StudyRow& row) { return !row.has_answer(); });
  if (failed > 0) {
    throw IncompleteError(fmt::format("{}: {} cells have no answer, so its claims cannot be judged",
                                      file.string(), failed));
  }
  std::vector<JudgedClaim> judged;
  for (const ClaimResult& result : outcome.claims) {
    judged.push_back({*result.claim, result.ours, result.distance});
  }
  return judged;
}

}  // namespace gradwire
