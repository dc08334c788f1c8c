#include "compressors/cost/device_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/errors.hpp"
#include "base/text_proto.hpp"
#include "compressors/cost/device_profile_texts.hpp"
#include "compressors/schema/device_profile.pb.h"

namespace gradwire {
namespace {

std::string lower(const std::string& text) {
  std::string result;
  for (const char c : text) {
    result.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  }
  return result;
}

std::string standing_text(schema::device::Standing standing) {
  return standing == schema::device::STANDING_UNSPECIFIED
             ? std::string{}
             : lower(schema::device::Standing_Name(standing));
}

OverlapSlowdown read_slowdown(const schema::device::OverlapSlowdown& in, const std::string& file) {
  const auto refuse = [&file](const std::string& what) {
    throw InputError(fmt::format("{}: overlap_slowdown: {}", file, what));
  };
  OverlapSlowdown out{in.factor(), in.low(), in.high(), standing_text(in.standing()), in.source()};
  if (!(out.low >= 1.0 && out.low <= out.factor && out.factor <= out.high) ||
      !std::isfinite(out.high)) {
    refuse(fmt::format("factor {}, low {}, high {} found; 1 <= low <= factor <= high is accepted",
                       out.factor, out.low, out.high));
  }
  if (out.source.empty()) {
    refuse("has no source; say where the factor comes from (source: \"...\")");
  }
  if (out.standing.empty()) {
    refuse("has no standing; accepted: MEASURED, PUBLISHED, RECALLED, DERIVED, ASSUMED");
  }
  return out;
}

}  // namespace

bool DeviceProfile::matches(const std::string& device_name) const {
  const std::string name_in_lower = lower(device_name);
  return std::any_of(device_patterns.begin(), device_patterns.end(),
                     [&name_in_lower](const std::string& pattern) {
                       return name_in_lower.find(lower(pattern)) != std::string::npos;
                     });
}

DeviceProfile parse_device_profile(const std::string& text, const std::string& name) {
  schema::device::DeviceProfile message;
  parse_text_proto(text, name, message);
  if (message.name().empty()) throw InputError(fmt::format("{}: name: is missing", name));
  DeviceProfile profile;
  profile.name = message.name();
  profile.device_patterns.assign(message.device_patterns().begin(),
                                 message.device_patterns().end());
  const auto& patterns = profile.device_patterns;
  if (patterns.empty() || std::find(patterns.begin(), patterns.end(), "") != patterns.end()) {
    throw InputError(fmt::format(
        "{}: device_patterns: at least one, none of them empty, is needed (such as \"V100\")",
        name));
  }
  profile.overlap_slowdown = read_slowdown(message.overlap_slowdown(), name);
  return profile;
}

const std::vector<DeviceProfile>& device_profiles() {
  static const std::vector<DeviceProfile> profiles = [] {
    std::vector<DeviceProfile> result;
    for (const EmbeddedText& entry : device_profile_texts()) {
      result.push_back(
          parse_device_profile(std::string{entry.text}, fmt::format("{}.txtpb", entry.name)));
    }
    return result;
  }();
  return profiles;
}

OverlapSlowdown overlap_slowdown_of(const std::string& device_name) {
  for (const DeviceProfile& profile : device_profiles()) {
    if (profile.matches(device_name)) return profile.overlap_slowdown;
  }
  return {1.1, 1.0, 1.2, "assumed",
          "no profile for this device; the middle of the band 1.0 to 1.2, a choice"};
}

}  // namespace gradwire
