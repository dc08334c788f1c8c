#include "compressors/cost/device_profile.hpp"

#include <fmt/format.h>

#include "compressors/cost/device_name.hpp"
#include "compressors/cost/device_profile_texts.hpp"

namespace gradwire {

bool DeviceProfile::matches(const std::string& device_name) const {
  return name_has_pattern(device_name, device_patterns);
}

const std::vector<DeviceProfile>& device_profiles() {
  static const std::vector<DeviceProfile> kProfiles = [] {
    std::vector<DeviceProfile> result;
    for (const EmbeddedText& entry : device_profile_texts()) {
      result.push_back(
          parse_device_profile(std::string{entry.text}, fmt::format("{}.txtpb", entry.name)));
    }
    return result;
  }();
  return kProfiles;
}

OverlapSlowdown overlap_slowdown_of(const std::string& device_name) {
  for (const DeviceProfile& profile : device_profiles()) {
    if (profile.matches(device_name)) return profile.overlap_slowdown;
  }
  return {1.1, 1.0, 1.2, "assumed",
          "no profile for this device; the middle of the band 1.0 to 1.2, a choice"};
}

}  // namespace gradwire
