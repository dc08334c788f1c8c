#pragma once

#include <string>
#include <vector>

#include "traces/importers/capture/capture_collector.hpp"
#include "traces/importers/import_report.hpp"

namespace gradwire {

/// What the traced program said of itself by the marks of tracer/marks/gradwire_tracer.h.
struct ProgramMarks {
  bool iterations = false;
  bool backward = false;
  bool gradients = false;
  std::string made_by;  ///< the fact "marks", "pytorch hook"; empty when not told

  bool any() const { return iterations || backward || gradients; }
};

/// Puts the program's iterations, backward passes, gradients and facts into `capture.records`. An
/// iteration that is not ended ends where the next begins, or with the capture and is incomplete.
/// Iterations whose numbers do not rise are counted from 0.
ProgramMarks find_program_marks(CollectedCapture& capture, ImportReport& report);

}  // namespace gradwire
