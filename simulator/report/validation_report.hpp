#pragma once

#include <iosfwd>
#include <vector>

#include "simulator/validation/play_set.hpp"

namespace gradwire {

/// A set for people: a line a case with the measured time and every model's error, then median, p90
/// and worst of each model, verdicts on pairs, the aim with by how much it is missed and the most
/// likely cause (without an aim too, where the set names one), and what is not scored. Of random
/// cells the summary and the worst cells alone; of claims their table.
void write_validation_text(const SetOutcome& outcome, std::ostream& out);

/// A line a set: the errors of the model that is held to its aim.
void write_validation_overview(const std::vector<SetOutcome>& outcomes, std::ostream& out);

/// One line a case and model of all sets: docs/formats/validation.md.
void write_validation_csv(const std::vector<SetOutcome>& outcomes, std::ostream& out);

}  // namespace gradwire
