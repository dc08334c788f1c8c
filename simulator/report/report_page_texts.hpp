#pragma once

#include <span>

#include "base/embedded_text.hpp"

namespace gradwire {

/// The files of simulator/report/page and Vega ("vega"), as they were when the program was built.
std::span<const EmbeddedText> report_page_texts();

}  // namespace gradwire
