#include "compressors/cost/device_name.hpp"

#include <algorithm>
#include <cctype>

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

bool name_has_pattern(const std::string& device_name, const std::vector<std::string>& patterns) {
  const std::string name_in_lower = lower(device_name);
  return std::any_of(patterns.begin(), patterns.end(),
                     [&name_in_lower](const std::string& pattern) {
                       return name_in_lower.find(lower(pattern)) != std::string::npos;
                     });
}

}  // namespace gradwire
