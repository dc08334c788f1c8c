#include "compressors/cost/device_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "compressors/cost/device_profile_texts.hpp"

namespace gradwire {
namespace {

std::string lower(const std::string& text) {
  std::string result;
  for (const char c : text) {
    result.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  }
  return result;
}

}  // namespace

bool DeviceProfile::matches(const std::string& device_name) const {
  const std::string name_in_lower = lower(device_name);
  return std::any_of(device_patterns.begin(), device_patterns.end(),
                     [&name_in_lower](const std::string& pattern) {
                       return name_in_lower.find(lower(pattern)) != std::string::npos;
                     });
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
