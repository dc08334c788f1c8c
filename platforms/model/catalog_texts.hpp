#pragma once

#include <span>

#include "base/embedded_text.hpp"

namespace gradwire {

/// The files of platforms/catalog, as they were when the program was built; sorted by name.
std::span<const EmbeddedText> catalog_texts();

}  // namespace gradwire
