#include "simulator/scenario/what_if_words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.hpp"
#include "base/number_text.hpp"

namespace gradwire {
namespace {

constexpr double kMostFactor = 1e6;

}  // namespace

WhatIfWords::WhatIfWords(std::string_view text, std::string_view what)
    : place_(fmt::format("{}: {}", what, text)) {
  const std::size_t equals = text.find('=');
  verb_ = text.substr(0, equals);
  if (equals != std::string_view::npos) rest_ = text.substr(equals + 1);
  std::string_view left = rest_;
  value_ = left.substr(0, left.find(','));
  while (left.find(',') != std::string_view::npos) {
    left.remove_prefix(left.find(',') + 1);
    const std::string_view part = left.substr(0, left.find(','));
    const std::size_t sign = part.find('=');
    const std::string name{part.substr(0, sign)};
    const std::string given{sign == std::string_view::npos ? "" : part.substr(sign + 1)};
    if (!options_.emplace(name, given).second) {
      refuse(fmt::format("\"{}\" found twice; once is accepted", name));
    }
  }
}

const std::string& WhatIfWords::whole_value() {
  options_.clear();
  return rest_;
}

void WhatIfWords::refuse(const std::string& sentence) const {
  throw InputError(fmt::format("{}: {}", place_, sentence));
}

double WhatIfWords::number(const std::string& text, const char* accepted) const {
  const std::optional<double> found = number_from<double>(text);
  if (!found) refuse(fmt::format("\"{}\" found; {} is accepted", text, accepted));
  return *found;
}

double WhatIfWords::factor(const std::string& text) const {
  const double found = number(text, "a factor above 0, such as 2,");
  if (found > 0.0 && found <= kMostFactor) return found;
  refuse(
      fmt::format("a factor of {} found; above 0 and at most {} is accepted", text, kMostFactor));
}

int WhatIfWords::count(const std::string& text, int most) const {
  const std::optional<int> found = number_from<int>(text);
  if (found && *found >= 1 && *found <= most) return *found;
  refuse(fmt::format("\"{}\" found; a whole number from 1 to {} is accepted", text, most));
}

std::string WhatIfWords::option(const std::string& name, const std::vector<std::string>& accepted) {
  const auto found = options_.find(name);
  if (found == options_.end()) return accepted.front();
  std::string given = found->second;
  options_.erase(found);
  if (std::find(accepted.begin(), accepted.end(), given) == accepted.end()) {
    refuse(fmt::format("{}={} found; accepted: {}", name, given, fmt::join(accepted, ", ")));
  }
  return given;
}

double WhatIfWords::share(const std::string& name, double standard) {
  const auto found = options_.find(name);
  if (found == options_.end()) return standard;
  const std::string given = found->second;
  options_.erase(found);
  const double share = number(given, "a share from 0 to 1");
  if (share >= 0.0 && share <= 1.0) return share;
  refuse(fmt::format("{}={} found; a share from 0 to 1 is accepted", name, given));
}

void WhatIfWords::refuse_unread() const {
  if (!options_.empty()) {
    refuse(fmt::format("an option \"{}\" found, which it does not have", options_.begin()->first));
  }
}

}  // namespace gradwire
