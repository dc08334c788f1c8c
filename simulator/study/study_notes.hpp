#pragma once

#include "simulator/study/cell_evaluator.hpp"
#include "simulator/study/run_study.hpp"

namespace gradwire {

/// What the cells rest on, one sentence each. The costs of a compressor are told once, for the
/// largest count of workers of its grid; every cell has its own in the table. Throws InputError
/// for a compressor that cannot be asked of a workload.
std::vector<std::string> study_basis(const StudySpec& spec, CellEvaluator& evaluator);

/// Warnings of the workloads, and every axis whose values all give the same answer: it was not
/// simulated or does not matter; and every what-if that changes nothing where the workers are most.
std::vector<std::string> study_warnings(const StudySpec& spec, const StudyOutcome& outcome,
                                        CellEvaluator& evaluator);

}  // namespace gradwire
