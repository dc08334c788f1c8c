#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/scenario/scenario.hpp"

namespace gradwire {

/// A what-if read from text, such as "compute=2,gaps=kept".
struct WhatIf {
  std::string text;  ///< as it was written, without spaces at its ends
  std::function<Scenario(Scenario)> apply;
};

/// A kind of what-if (what_if_verbs.hpp).
struct WhatIfVerb {
  std::string_view name;
  std::string_view form;     ///< what stands behind the "=": "S[,gaps=kept]"
  std::string_view summary;  ///< for people, one sentence
};

const std::vector<WhatIfVerb>& what_if_verbs();

/// Reads what-ifs separated by ";", to be applied in this order; an empty text is none. Throws
/// InputError, beginning with `what`, for an unknown verb (naming the known ones), a value that is
/// none of its kind, a factor that is not above 0, and what-ifs that contradict each other: one
/// that sets what another one in front of it has set or changed.
std::vector<WhatIf> parse_what_ifs(std::string_view text, std::string_view what);

/// All of them, the first one first. Throws InputError, naming the what-if, where one means nothing
/// for the scenario.
Scenario with_what_ifs(Scenario scenario, const std::vector<WhatIf>& what_ifs);

}  // namespace gradwire
