#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/units.hpp"
#include "compressors/cost/measuring_context.hpp"

namespace gradwire {

/// The machine that this runs on, as /proc/cpuinfo and the system name it. A CPU without a name
/// (some ARM) is called by its architecture: "aarch64 CPU".
MeasuredMachine read_cpu_machine();

/// The same of the text of a /proc/cpuinfo and the name of the architecture, without software.
MeasuredMachine parse_cpu_machine(std::string_view cpuinfo, std::string_view architecture);

/// What this process can still have: the smaller of the system's available memory and what its
/// control group leaves, as far as both can be read.
Bytes free_cpu_memory();

/// "MemAvailable:  1024 kB" of the text of a /proc/meminfo; absent where it does not say.
std::optional<Bytes> parse_available_memory(std::string_view meminfo);

}  // namespace gradwire
