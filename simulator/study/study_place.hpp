#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/errors.hpp"

namespace gradwire {

/// The place of a field in a file of questions, for messages: file, the grid (or what else `kind`
/// says) when it is in one, field.
class StudyPlace {
 public:
  StudyPlace(const std::filesystem::path& file, std::string name, std::string kind = "grid")
      : file_(file), name_(std::move(name)), kind_(std::move(kind)) {}

  std::string of(const char* field) const {
    if (name_.empty()) return fmt::format("{}: {}", file_.string(), field);
    return fmt::format("{}: {} \"{}\": {}", file_.string(), kind_, name_, field);
  }

  [[noreturn]] void refuse(const char* field, const std::string& what) const {
    throw InputError(fmt::format("{}: {}", of(field), what));
  }

  template <class T>
  void refuse_duplicates(std::vector<T> values, const char* field) const {
    std::sort(values.begin(), values.end());
    if (std::adjacent_find(values.begin(), values.end()) != values.end()) {
      refuse(field, "an entry stands there twice; each is accepted once");
    }
  }

  /// `parse(name)`, its InputError told with this place.
  template <class Parse>
  auto parsed(const char* field, const std::string& name, Parse parse) const {
    try {
      return parse(name);
    } catch (const InputError& error) {
      refuse(field, error.what());
    }
  }

 private:
  std::filesystem::path file_;
  std::string name_;
  std::string kind_;
};

/// A figure and where it comes from: both or neither. Throws InputError naming `field`.
inline void require_source(bool figure, const std::string& source, const char* field,
                           const StudyPlace& place) {
  if (figure == source.empty()) {
    place.refuse(field, figure ? "none found; where the figure comes from is needed"
                               : "found without its figure; both or none are accepted");
  }
}

template <class Named>
std::vector<std::string> names_of(const std::vector<Named>& values) {
  std::vector<std::string> names;
  for (const Named& value : values) names.push_back(value.name);
  return names;
}

}  // namespace gradwire
