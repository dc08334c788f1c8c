#pragma once

#include <iosfwd>
#include <vector>

#include "simulator/validation/play_set.hpp"

namespace gradwire {

/// The same as the text, as one HTML page that needs no network: each set's errors at a glance,
/// then its tables. Nothing of a set's words becomes markup.
void write_validation_page(const std::vector<SetOutcome>& outcomes, std::ostream& out);

}  // namespace gradwire
