#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "simulator/questions/explanation.hpp"

namespace gradwire {

/// Everything that `gradwire explain` shows of one question.
struct ExplanationReport {
  std::string trace;
  std::string cluster;
  int workers = 1;
  BitsPerSecond bandwidth;  ///< of a NIC, each direction
  Seconds nic_latency{0};
  std::string compressor;  ///< with every parameter; empty for none
  Explanation explanation;
  std::vector<std::string> basis;  ///< what the answer rests on
  std::vector<std::string> warnings;
};

/// For people: one paragraph in plain words, then the tables behind it.
void write_text(const ExplanationReport& report, std::ostream& out);

/// The same as one JSON object (docs/commands/explain.md); times in seconds.
void write_json(const ExplanationReport& report, std::ostream& out);

}  // namespace gradwire
