#pragma once

#include <iosfwd>

#include "simulator/study/run_study.hpp"

namespace gradwire {

/// One line a cell, units in the header (docs/formats/results-csv.md).
void write_study_csv(const StudySpec& spec, const StudyOutcome& outcome, std::ostream& out);

/// What the answers rest on, and warnings, a line each.
void write_assumptions(const StudyOutcome& outcome, std::ostream& out);

/// The cells without an answer, a line each with the reason.
void write_failures(const StudySpec& spec, const StudyOutcome& outcome, std::ostream& out);

/// For people: tables of a small study of one grid; how often each grid's compressed cells win,
/// where and why; the study's counts, claims and sensitivities; how far the estimators are apart,
/// and failed cells.
void write_study_text(const StudySpec& spec, const StudyOutcome& outcome, std::ostream& out);

}  // namespace gradwire
