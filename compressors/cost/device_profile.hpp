#pragma once

#include <string>
#include <vector>

namespace gradwire {

/// By how much compute slows while communication runs beside it on the same device: times the
/// factor, 1 is no slow-down.
struct OverlapSlowdown {
  double factor = 1.0;
  double low = 1.0;  ///< band in which the factor lies
  double high = 1.0;
  std::string standing;  ///< "recalled", "assumed", "measured", ...
  std::string source;

  bool operator==(const OverlapSlowdown&) const = default;
};

/// What is known of a kind of device.
struct DeviceProfile {
  std::string name;
  std::vector<std::string> device_patterns;  ///< parts of a device's name that mean this profile
  OverlapSlowdown overlap_slowdown;

  /// Whether `device_name` ("Tesla V100-DGXS-32GB") holds one of the patterns, case ignored.
  bool matches(const std::string& device_name) const;
};

/// Reads a profile from the text of a .txtpb; `name` stands where the file name would. Throws
/// InputError naming file and field: unknown field (line, column), a factor below 1 or outside its
/// band, no pattern, source or standing.
DeviceProfile parse_device_profile(const std::string& text, const std::string& name);

/// The profiles that come with the program (compressors/cost/profiles), sorted by name.
const std::vector<DeviceProfile>& device_profiles();

/// The slow-down of the device that `device_name` names. For a device without a profile, the name
/// being empty included: 1.1, the middle of the band 1.0 to 1.2 that stands for not knowing,
/// "assumed".
OverlapSlowdown overlap_slowdown_of(const std::string& device_name);

}  // namespace gradwire
