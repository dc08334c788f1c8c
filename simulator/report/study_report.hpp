#pragma once

#include <iosfwd>

#include "simulator/study/run_study.hpp"

namespace gradwire {

/// One line a cell, units in the header (docs/formats/results-csv.md).
void write_study_csv(const StudySpec& spec, const StudyOutcome& outcome, std::ostream& out);

/// For people: the plain answer, a table workers x bandwidths for each trace and latency, how far
/// the estimators are apart, warnings and failed cells.
void write_study_text(const StudySpec& spec, const StudyOutcome& outcome, std::ostream& out);

}  // namespace gradwire
