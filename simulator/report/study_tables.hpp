#pragma once

#include <iosfwd>

#include "simulator/study/run_study.hpp"

namespace gradwire {

/// Every cell of one grid: for each workload the plain answer at the largest count of workers, the
/// times of the first compressor, and the speed-ups of the others.
void write_grid_tables(const StudySpec& spec, const StudyOutcome& outcome, std::size_t grid,
                       std::ostream& out);

}  // namespace gradwire
