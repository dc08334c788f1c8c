#pragma once

#include <span>

#include "base/embedded_text.hpp"

namespace gradwire {

/// The files of compressors/cost/cost_profiles, as they were when the program was built; sorted by
/// name.
std::span<const EmbeddedText> cost_profile_texts();

}  // namespace gradwire
