#pragma once

#include <cupti.h>

#include <cstdint>

#include "tracer/capture/activity_source.hpp"
#include "tracer/capture/records.hpp"

namespace gradwire {

/// cuptiActivityGetNextRecord of the libcupti that filled the buffer: it alone knows how long its
/// records are.
using RecordWalker = decltype(&::cuptiActivityGetNextRecord);

/// Gives `sink` every record of `buffer`; other kinds are counted as unknown, and what the walker
/// refuses as a lost buffer. Of runtime and driver calls those of recorded_calls.hpp are kept. Only
/// what CUPTI 12's and 13's records have in common is read. The answer has a bit for each device
/// below 64 that an operation ran on.
std::uint64_t decode_activities(RecordWalker walker, const FullBuffer& buffer, RecordSink& sink);

}  // namespace gradwire
