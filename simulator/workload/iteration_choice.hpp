#pragma once

#include <string>

#include "traces/model/trace.hpp"

namespace gradwire {

/// `trace` reduced to the iterations that `choice` names: "representative" (that of `inspect`), a
/// number as `inspect` shows it ("20"), or a range of numbers ("5..14"). The one with the median
/// backward span of those kept is marked as representative, and what went is in
/// Provenance::left_out. Throws InputError saying what is there for a choice that the trace does
/// not have.
Trace keep_chosen_iterations(Trace trace, const std::string& choice);

}  // namespace gradwire
