#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>

#include "base/units.hpp"
#include "simulator/accuracy/scheme_accuracy.hpp"
#include "simulator/questions/advice.hpp"

namespace gradwire {

/// Everything that `gradwire advise` shows.
struct AdviceReport {
  std::string trace;
  std::string device;  ///< that costs should be of; empty when unknown
  std::string cluster;
  int workers = 2;
  BitsPerSecond bandwidth;
  std::optional<std::int64_t> batch;  ///< samples a rank and iteration
  std::string cost_profile;           ///< the one that costs are from; empty for none
  Advice advice;
  /// What each scheme makes of dumped gradients, by its spelling ("none" for float32); empty when
  /// there are none.
  std::map<std::string, SchemeAccuracy> accuracy;
  std::string accuracy_basis;  ///< one sentence: which gradients those were
};

/// What `row`'s scheme makes of the gradients; null when that was not measured.
const SchemeAccuracy* accuracy_of(const AdviceReport& report, const AdviceRow& row);

/// For people: the verdict first, or, where no cost profile fits the device, what encoding and
/// decoding must take less than.
void write_text(const AdviceReport& report, std::ostream& out);

/// The same as one JSON object (docs/commands/advise.md); times in seconds.
void write_json(const AdviceReport& report, std::ostream& out);

}  // namespace gradwire
