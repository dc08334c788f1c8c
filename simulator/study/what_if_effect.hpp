#pragma once

#include <string>
#include <vector>

#include "simulator/scenario/what_if_text.hpp"

namespace gradwire {

/// What one of several what-ifs does, with all in front of it.
struct WhatIfEffect {
  std::string text;   ///< of the what-if
  Seconds before{0};  ///< backward plus synchronisation without it
  Seconds after{0};   ///< with it

  /// Whether it changes the answer at all: by more than what rounding leaves.
  bool has_effect() const;
};

/// One a what-if, in their order, by `quickest_time`. Throws as `with_what_ifs`.
std::vector<WhatIfEffect> what_if_effects(const Scenario& scenario,
                                          const std::vector<WhatIf>& what_ifs);

/// "what if X: changes nothing here", for each that has no effect.
std::vector<std::string> warnings_of(const std::vector<WhatIfEffect>& effects);

}  // namespace gradwire
