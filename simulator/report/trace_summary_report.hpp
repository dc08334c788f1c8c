#pragma once

#include <iosfwd>

#include "simulator/workload/trace_summary.hpp"

namespace gradwire {

/// For people: one line that says what the trace is, then tables.
void write_text(const TraceSummary& summary, std::ostream& out);

/// The same as one JSON object (docs/commands/inspect.md); times in seconds.
void write_json(const TraceSummary& summary, std::ostream& out);

}  // namespace gradwire
