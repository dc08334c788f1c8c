#pragma once

#include <string>
#include <string_view>

#include "simulator/timeline/timeline.hpp"

namespace gradwire {

/// A timeline as bytes between a process and its forked child: native layout, for nothing else.
std::string to_bytes(const Timeline& timeline);
Timeline timeline_from_bytes(std::string_view bytes);

}  // namespace gradwire
