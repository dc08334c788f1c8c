#pragma once

#include <iosfwd>

#include "simulator/study/run_study.hpp"

namespace gradwire {

/// A table claim | standing | study | ours | distance; nothing without claims.
void write_claims(const StudyOutcome& outcome, std::ostream& out);

/// How the share of wins moves with each input; nothing without sensitivities.
void write_sensitivities(const StudySpec& spec, const StudyOutcome& outcome, std::ostream& out);

}  // namespace gradwire
