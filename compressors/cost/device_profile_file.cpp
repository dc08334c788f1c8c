#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "base/text_proto.hpp"
#include "compressors/cost/device_profile.hpp"
#include "compressors/schema/device_profile.pb.h"

namespace gradwire {
namespace {

std::string standing_text(schema::device::Standing standing) {
  switch (standing) {
    case schema::device::MEASURED:
      return "measured";
    case schema::device::PUBLISHED:
      return "published";
    case schema::device::RECALLED:
      return "recalled";
    case schema::device::DERIVED:
      return "derived";
    case schema::device::ASSUMED:
      return "assumed";
    default:
      return {};
  }
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

}  // namespace gradwire
