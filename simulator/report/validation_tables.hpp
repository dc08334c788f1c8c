#pragma once

#include <string>
#include <vector>

#include "simulator/report/text_table.hpp"
#include "simulator/validation/play_set.hpp"

namespace gradwire {

/// What text and page say of a played set. Requires a case that was played, except where stated.

/// set | model that is held to the aim | its errors | the baseline's | verdicts | aim, a line a set
/// with cases. Any sets.
TextTable overview_table(const std::vector<SetOutcome>& outcomes);

/// case | measured s | range s | time of each model | error of each model. What the range forgives
/// stands in brackets; a model that refuses has dashes.
TextTable case_table(const SetOutcome& outcome);

/// error | cases | median | p90 | worst, a line a model.
TextTable error_table(const SetOutcome& outcome);

/// group | cases | median | p90 | worst of the model that is held to the aim, a line a group in the
/// order of the cases. Empty where no case has a group.
TextTable group_table(const SetOutcome& outcome);

/// verdict | right, of those that help and those that do not, a line a model. Requires pairs.
TextTable verdict_table(const SetOutcome& outcome);

/// The claims of such a set.
TextTable claim_table(const SetOutcome& outcome);

/// What the verdict table counts, and what always guessing the same would reach. Requires pairs.
std::string verdict_sentence(const SetOutcome& outcome);

/// What the baseline is; empty without one.
std::string baseline_sentence(const SetOutcome& outcome);

/// Each figure of the aim, met or missed by how much, then the cause where it is missed or nothing
/// was asked.
std::vector<std::string> aim_sentences(const SetOutcome& outcome);

/// Random cells: the one that each model misses by most.
std::vector<std::string> furthest_sentences(const SetOutcome& outcome);

/// What was measured and assumed, which cases failed and what is not scored; of any set.
std::vector<std::string> basis_sentences(const SetOutcome& outcome);

}  // namespace gradwire
