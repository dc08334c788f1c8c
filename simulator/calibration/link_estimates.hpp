#pragma once

#include "simulator/calibration/calibration.hpp"

namespace gradwire {

/// Whether a piece's latency is above twice its standard error, so no artefact of its scatter; with
/// two points, above zero.
bool latency_is_known(const LinePiece& piece);

/// Sets what `calibration` says of links from its fits and runs, and the notes on what was assumed
/// and what they cannot determine.
void estimate_links(Calibration& calibration);

}  // namespace gradwire
