#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "traces/importers/capture/capture_overview.hpp"

namespace gradwire {

/// How long a run of the command took.
struct RunTimes {
  Seconds whole{0};                     ///< from its start to its end
  std::vector<Nanoseconds> iterations;  ///< of all its processes; empty without iteration marks
};

/// The iterations of `captures` behind the first `skip` of each, and of these at most `count`.
std::vector<Nanoseconds> iteration_times(const std::vector<CaptureOverview>& captures,
                                         std::size_t skip, std::size_t count);

/// What --ab answers: the medians of both runs and their ratio; of the whole runs where one has no
/// iterations. Lines end in "\n".
std::string overhead_text(const RunTimes& plain, const RunTimes& traced);

}  // namespace gradwire
