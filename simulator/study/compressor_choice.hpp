#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compressors/cost/cost_model.hpp"
#include "compressors/cost/cost_profile.hpp"
#include "simulator/scenario/scenario.hpp"

namespace gradwire {

/// What a user gives instead of the cost profile that fits the device.
struct GivenCost {
  std::optional<Seconds> encode;
  std::optional<Seconds> decode;
  std::optional<CostProfile> profile =
      std::nullopt;  ///< taken for the device, whatever its patterns
  std::shared_ptr<const CompressorTimeline> timeline = nullptr;  ///< recorded; null for none
  CostChoice choice = CostChoice::kStandard;                     ///< which of a profile's figures
};

/// A compressor as a scenario has it, and where its costs come from.
struct CompressorChoice {
  Compression compression;
  std::string spelling;  ///< with every parameter
  Bytes wire_bytes{0};   ///< of one rank, before its collectives multiply them
  double ratio = 1.0;    ///< payload over wire bytes
  /// Of the costs: "measured", "interpolated", "recalled", "derived", "given", "not counted";
  /// "assumed" whatever they are of the device that they are of, where that is another one.
  std::string standing;
  std::vector<std::string>
      basis;  ///< one sentence each: the costs, their standing, what they rest on
  std::vector<std::string> warnings;  ///< one sentence each: why the costs may be far off
};

/// What every compressor but a cast rests on.
inline constexpr const char* kSerialBasis =
    "encode, exchange and decode follow the whole backward pass, one after the other";

/// What every overlapped compressor but a cast rests on.
inline constexpr const char* kOverlappedBasis =
    "a hook compresses each bucket when it is full: the host thread that launches the backward "
    "pass "
    "launches its kernels too, its first stage stands in front of the backward kernels, the others "
    "share the device with them";

/// How `compression` is played, as a sentence of what an answer rests on.
const char* mode_basis(CompressionMode mode);

/// The choice that `scenario` holds, whatever what-ifs have made of it; `device` is what its costs
/// should be of. Requires a compressor; one that is no cast has a cost source or a timeline.
CompressorChoice describe_compressor(const Scenario& scenario, const std::string& device);

/// Reads `text` ("powersgd:rank=4") for `scenario`'s workload, workers and buckets on `device`. The
/// costs are `given`, or the device's cost profile's; for overlapped compression by bucket too.
/// Throws InputError for an unknown scheme or parameter, for gradients without shapes or not of
/// float32, and when neither the user nor a profile knows what encoding costs on this device.
CompressorChoice choose_compressor(const std::string& text, const Scenario& scenario,
                                   const std::string& device, CompressionMode mode,
                                   const GivenCost& given);

}  // namespace gradwire
