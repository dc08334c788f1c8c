#pragma once

#include <iosfwd>
#include <vector>

#include "simulator/report/text_table.hpp"
#include "simulator/study/run_study.hpp"

namespace gradwire {

/// The shares of wins that the study asks about, each with the span that its recounts have; nothing
/// without sensitivities.
void write_headline(const StudySpec& spec, const StudyOutcome& outcome, std::ostream& out);

/// claim | standing | study | ours | distance.
TextTable claim_table(const std::vector<ClaimResult>& claims);

/// That table with its sentence; nothing without claims.
void write_claims(const StudyOutcome& outcome, std::ostream& out);

/// How the share of wins moves with each input; nothing without sensitivities.
void write_sensitivities(const StudySpec& spec, const StudyOutcome& outcome, std::ostream& out);

}  // namespace gradwire
