#pragma once

#include <string>
#include <string_view>

#include "traces/model/trace.hpp"

namespace gradwire {

/// True when `head`, the first bytes of a file, begins a JSON object that has the key `tensors`
/// with an array, as far as the head shows its keys.
bool is_json_gradient_list(std::string_view head);

/// Reads `text`, a gradient list as one JSON object (docs/formats/gradient-list.md); `source` names
/// the file. Throws InputError naming the record (`tensors[3]`), what was found and what is
/// accepted.
Trace read_json_gradient_list(std::string_view text, const std::string& source);

}  // namespace gradwire
