#pragma once

#include <string>
#include <vector>

#include "base/units.hpp"
#include "simulator/timeline/iteration_result.hpp"

namespace gradwire {

/// The plain answer in one sentence: workers, bandwidth, compressor (when there is one), backward
/// pass plus synchronisation, and how much of it waits for the network.
std::string answer_sentence(int workers, BitsPerSecond bandwidth, const IterationResult& result,
                            const std::string& compressor = {});

/// What a compressor could save at most: everything but undisturbed compute, as if encoding,
/// decoding and what is still sent cost nothing. Empty when there is nothing to exchange.
std::string room_sentence(const IterationResult& result);

/// Why: what the time goes to, in one or two sentences.
std::string reason_sentence(const IterationResult& result);

/// "12.3 % faster", "4.0 % slower": how much of the baseline's time a `speedup` (baseline over
/// other) saves or adds.
std::string difference_text(double speedup);

}  // namespace gradwire
