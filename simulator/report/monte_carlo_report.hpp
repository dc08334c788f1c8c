#pragma once

#include <string>

#include "simulator/questions/monte_carlo.hpp"
#include "simulator/report/json_writer.hpp"

namespace gradwire {

/// For people: a line on the time and, with a compressor, one a baseline; each ends with a newline.
std::string monte_carlo_text(const MonteCarlo& samples);

/// The same as one JSON object (docs/commands/simulate.md).
void write_monte_carlo(const MonteCarlo& samples, JsonWriter& json);

}  // namespace gradwire
