#pragma once

#include <string>
#include <vector>

#include "base/units.hpp"
#include "traces/model/trace.hpp"

namespace gradwire {

/// One kernel of a compressor as it was recorded.
struct CompressorKernel {
  std::string name;
  Seconds host{0};           ///< of the host thread, from the launch in front of it to its own
  Seconds device{0};         ///< on the device
  bool side_stream = false;  ///< on another stream than most of the phase's work
};

/// What a compressor does around its collectives, kernel by kernel, in launch order. A collective's
/// own kernels are not among them.
struct CompressorTimeline {
  std::string name;                       ///< of the trace, for people
  std::vector<CompressorKernel> encode;   ///< before the first collective
  std::vector<CompressorKernel> between;  ///< before the last one; empty with fewer than two
  std::vector<CompressorKernel> decode;   ///< behind the last one; empty without any
};

/// Of one exchange in `trace`: its middle complete iteration, all of it where no iteration is
/// marked. Communication kernels part the phases. Host time is the time between launches, so that
/// waits of the host count; the first launch of a phase counts as long as it took. Throws
/// InputError, with `name`, when there is no device work, or a kernel without its launch.
CompressorTimeline make_compressor_timeline(const Trace& trace, const std::string& name);

/// How long `kernels` take with nothing beside them: each on its stream once it is launched.
Seconds replayed(const std::vector<CompressorKernel>& kernels);

}  // namespace gradwire
