#include "compressors/spec/parameters.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/errors.hpp"
#include "base/number_text.hpp"

namespace gradwire {
namespace {}  // namespace

SchemeParameters::SchemeParameters(std::string_view text) {
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      throw InputError(
          fmt::format("\"{}\" is no parameter; name=value is accepted, as in rank=4", item));
    }
    const std::string name{item.substr(0, equals)};
    if (!given_.try_emplace(name, item.substr(equals + 1)).second) {
      throw InputError(fmt::format("parameter {} stands there twice", name));
    }
  }
}

const std::string* SchemeParameters::take(const std::string& name) {
  const auto found = given_.find(name);
  known_[name] = found != given_.end();
  return found == given_.end() ? nullptr : &found->second;
}

int SchemeParameters::integer(const std::string& name, int standard, int low, int high) {
  const std::string* text = take(name);
  if (text == nullptr) return standard;
  const std::optional<int> value = number_from<int>(*text);
  if (!value || *value < low || *value > high) {
    throw InputError(fmt::format("{}: \"{}\" found; a whole number from {} to {} is accepted", name,
                                 *text, low, high));
  }
  return *value;
}

double SchemeParameters::number(const std::string& name, double standard, double above,
                                double high) {
  const std::string* text = take(name);
  if (text == nullptr) return standard;
  const std::optional<double> value = number_from<double>(*text);
  if (!value || !(*value > above) || !(*value <= high)) {
    throw InputError(fmt::format("{}: \"{}\" found; more than {} and at most {} is accepted", name,
                                 *text, above, high));
  }
  return *value;
}

bool SchemeParameters::truth(const std::string& name, bool standard) {
  const std::string* text = take(name);
  if (text == nullptr) return standard;
  if (*text != "true" && *text != "false") {
    throw InputError(fmt::format("{}: \"{}\" found; true or false is accepted", name, *text));
  }
  return *text == "true";
}

void SchemeParameters::refuse_unread(std::string_view scheme) const {
  for (const auto& [name, value] : given_) {
    if (known_.contains(name)) continue;
    std::string accepted;
    for (const auto& [known, given] : known_) {
      accepted += fmt::format("{}{}", accepted.empty() ? "" : ", ", known);
    }
    throw InputError(fmt::format("{} has no parameter \"{}\"; accepted: {}", scheme, name,
                                 accepted.empty() ? "none" : accepted));
  }
}

}  // namespace gradwire
