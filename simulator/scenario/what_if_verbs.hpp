#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "simulator/scenario/what_if_text.hpp"
#include "simulator/scenario/what_if_words.hpp"

namespace gradwire {

/// What a verb makes of its words.
struct WhatIfReading {
  std::function<Scenario(Scenario)> change;
  bool sets = false;  ///< it sets its quantity, whatever that was before
};

/// A known verb. A new one is a function and a line in what_if_verbs.cpp.
struct WhatIfEntry {
  WhatIfVerb facts;
  std::string_view quantity;  ///< what it changes; verbs of one quantity may contradict each other
  WhatIfReading (*read)(WhatIfWords& words);
};

const std::vector<WhatIfEntry>& what_if_entries();

}  // namespace gradwire
