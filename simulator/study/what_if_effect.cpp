#include "simulator/study/what_if_effect.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "simulator/study/estimator.hpp"

namespace gradwire {

bool WhatIfEffect::has_effect() const {
  constexpr double kRounding = 1e-12;
  return std::abs(after / before - 1.0) > kRounding;
}

std::vector<WhatIfEffect> what_if_effects(const Scenario& scenario,
                                          const std::vector<WhatIf>& what_ifs) {
  std::vector<WhatIfEffect> effects;
  if (what_ifs.empty()) return effects;
  Scenario changed = scenario;
  Seconds before = quickest_time(changed);
  for (const WhatIf& what_if : what_ifs) {
    changed = with_what_ifs(std::move(changed), {what_if});
    const Seconds after = quickest_time(changed);
    effects.push_back({what_if.text, before, after});
    before = after;
  }
  return effects;
}

std::vector<std::string> warnings_of(const std::vector<WhatIfEffect>& effects) {
  std::vector<std::string> warnings;
  for (const WhatIfEffect& effect : effects) {
    if (effect.has_effect()) continue;
    warnings.push_back(fmt::format("what if {}: changes nothing here", effect.text));
  }
  return warnings;
}

}  // namespace gradwire
