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

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Whether the characters on both sides of `place` belong to one number.
bool splits_a_number(const std::string& text, std::size_t place) {
  return place > 0 && place < text.size() && is_digit(text[place - 1]) && is_digit(text[place]);
}

bool holds(const std::string& name, const std::string& pattern) {
  for (std::size_t at = name.find(pattern); at != std::string::npos;
       at = name.find(pattern, at + 1)) {
    if (!splits_a_number(name, at) && !splits_a_number(name, at + pattern.size())) return true;
  }
  return false;
}

}  // namespace

bool name_has_pattern(const std::string& device_name, const std::vector<std::string>& patterns) {
  const std::string name_in_lower = lower(device_name);
  return std::any_of(patterns.begin(), patterns.end(),
                     [&name_in_lower](const std::string& pattern) {
                       return holds(name_in_lower, lower(pattern));
                     });
}

}  // namespace gradwire
