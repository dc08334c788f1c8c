#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "simulator/questions/break_even.hpp"
#include "simulator/timeline/iteration_result.hpp"

namespace gradwire {

/// The inverse questions of one compressor.
struct CompressorBreakEvens {
  std::string spelling;           ///< with every parameter
  Bytes wire_bytes{0};            ///< of one rank, before its collectives multiply them
  double ratio = 1.0;             ///< payload over wire bytes
  std::optional<Seconds> encode;  ///< absent when not known, as decode
  std::optional<Seconds> decode;
  std::string standing;  ///< CompressorChoice::standing; "unknown" without costs
  std::vector<BreakEven> answers;
  std::vector<std::string> unanswered;  ///< why not, one sentence each
};

/// Everything that `gradwire breakeven` shows.
struct BreakEvenReport {
  std::string trace;
  std::string device;
  std::string cluster;
  std::optional<std::int64_t> batch;  ///< samples a rank and iteration
  int workers = 2;
  BitsPerSecond bandwidth;
  std::string mode;      ///< "serial", "overlapped"
  std::string baseline;  ///< "float32", "fp16"
  double target_efficiency = 0.9;
  std::vector<BreakEven> uncompressed;  ///< what an efficiency needs without a compressor
  std::vector<std::string> unanswered;  ///< of these, why not
  /// Where the time goes at the highest ratio looked at, when not even that is enough.
  std::optional<Breakdown> at_highest_ratio;
  bool as_table = false;  ///< a row a compressor
  std::vector<CompressorBreakEvens> compressors;
  std::vector<std::string> basis;  ///< what the answers rest on
  std::vector<std::string> warnings;
};

/// For people: the plain answer first.
void write_text(const BreakEvenReport& report, std::ostream& out);

/// The same as one JSON object (docs/commands/breakeven.md), in bits per second and seconds.
void write_json(const BreakEvenReport& report, std::ostream& out);

}  // namespace gradwire
