#pragma once

#include <string>

#include "simulator/report/explanation_report.hpp"

namespace gradwire {

/// One paragraph, on one line: how long it takes, what the critical path consists of and what
/// bounds it, what a percent of each input is worth, and how a compressor comes to win or lose.
std::string explanation_paragraph(const ExplanationReport& report);

/// "the NICs, 10 Gbps", "the NIC of node 3, out, 2.5 Gbps".
std::string link_words(const BoundingLink& link);

/// Why a segment began: "needs C0", "behind A0 on its stream", "rank 3 arrives last, needs C0".
std::string cause_words(const PathSegment& segment);

/// "1 % more bandwidth (100 Mbps)", "1 % less latency between nodes (250 ns)".
std::string gain_words(const Gain& gain);

}  // namespace gradwire
