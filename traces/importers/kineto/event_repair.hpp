#pragma once

#include <string>
#include <string_view>

namespace gradwire {

/// An event made readable: text that producers are known to write although it is not JSON is
/// replaced. Control bytes become spaces, bytes that are not UTF-8 become `?`, and the backslash of
/// an unknown escape (a Windows path) is doubled. Nothing else changes, so the result may still not
/// be JSON.
struct RepairedEvent {
  std::string text;
  std::string kind;  ///< "control-byte", "not-utf8", "backslash" (the first that was met); empty
                     ///< when nothing changed
};

RepairedEvent repair_event(std::string_view text);

}  // namespace gradwire
