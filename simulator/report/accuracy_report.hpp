#pragma once

#include <cstdint>
#include <iosfwd>
#include <vector>

#include "simulator/accuracy/gradient_check.hpp"
#include "simulator/accuracy/gradient_dump.hpp"
#include "simulator/accuracy/scheme_accuracy.hpp"

namespace gradwire {

/// What was measured with which seed.
struct AccuracyOutcome {
  std::uint64_t seed = 0;
  GradientCheck check;
  std::vector<SchemeAccuracy> schemes;
};

/// For people: a line a scheme, what is in no figure and why, what the figures mean and what was
/// not measured.
void write_accuracy_text(const RecordedGradients& gradients, const AccuracyOutcome& outcome,
                         std::ostream& out);

/// A line a scheme; columns: docs/commands/gradients.md.
void write_accuracy_csv(const RecordedGradients& gradients, const AccuracyOutcome& outcome,
                        std::ostream& out);

}  // namespace gradwire
