#pragma once

#include <iosfwd>

#include "simulator/calibration/calibration.hpp"

namespace gradwire {

/// For people: a table of pieces for each collective and rank count with their residuals, what each
/// iperf3 run saw, the links that follow, and what is assumed or undetermined.
void write_calibration_text(const Calibration& calibration, std::ostream& out);

/// The same in seconds, bytes and bits per second, with every point (docs/commands/calibrate.md).
void write_calibration_json(const Calibration& calibration, std::ostream& out);

/// A cluster as text that `read_cluster` reads: the links by the largest messages, each figure with
/// its standing and source. Throws InputError when nothing determines a bandwidth.
void write_calibrated_cluster(const Calibration& calibration, std::ostream& out);

}  // namespace gradwire
