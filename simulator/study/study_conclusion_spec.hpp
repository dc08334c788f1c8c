#pragma once

#include "simulator/study/study_place.hpp"
#include "simulator/study/study_spec.hpp"

namespace gradwire {

namespace schema {
class Study;
}

/// Reads what a study draws from its cells (counts, claims, sensitivities) into `spec`, whose
/// workloads and grids are there. Throws InputError as `read_study`.
void read_conclusions(const schema::Study& message, const StudyPlace& place, StudySpec& spec);

}  // namespace gradwire
