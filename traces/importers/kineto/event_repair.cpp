#include "traces/importers/kineto/event_repair.hpp"

#include <cstddef>

namespace gradwire {
namespace {

bool is_continuation(unsigned char c) { return (c & 0xC0) == 0x80; }

/// Length of the UTF-8 sequence at `at` (RFC 3629); 0 when it is none.
std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i])
                                : static_cast<unsigned char>(0);
  };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return is_continuation(byte(1)) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool overlong = first == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = first == 0xED && byte(1) >= 0xA0;
    return is_continuation(byte(1)) && is_continuation(byte(2)) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool overlong = first == 0xF0 && byte(1) < 0x90;
    const bool too_large = first == 0xF4 && byte(1) >= 0x90;
    const bool tail =
        is_continuation(byte(1)) && is_continuation(byte(2)) && is_continuation(byte(3));
    return tail && !overlong && !too_large ? 4 : 0;
  }
  return 0;
}

bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool is_known_escape(std::string_view text, std::size_t backslash) {
  if (backslash + 1 >= text.size()) return false;
  if (text[backslash + 1] != 'u') {
    return std::string_view("\"\\/bfnrt").find(text[backslash + 1]) != std::string_view::npos;
  }
  for (std::size_t i = 2; i < 6; ++i) {
    if (backslash + i >= text.size() || !is_hex(text[backslash + i])) return false;
  }
  return true;
}

}  // namespace

RepairedEvent repair_event(std::string_view text) {
  RepairedEvent repaired;
  const auto note = [&](const char* kind) {
    if (repaired.kind.empty()) repaired.kind = kind;
  };
  bool in_string = false;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    const auto byte = static_cast<unsigned char>(c);
    const bool space_between = !in_string && (c == '\n' || c == '\r' || c == '\t');
    if (byte < 0x20 && !space_between) {
      note("control-byte");
      repaired.text.push_back(' ');
      ++at;
    } else if (const std::size_t length = utf8_length(text, at); length != 1) {
      if (length == 0) note("not-utf8");
      repaired.text.append(length == 0 ? std::string_view("?") : text.substr(at, length));
      at += length == 0 ? 1 : length;
    } else if (in_string && c == '\\') {
      const bool known = is_known_escape(text, at);
      if (!known) note("backslash");
      repaired.text.append(known ? text.substr(at, 2) : std::string_view("\\\\"));
      at += known ? 2 : 1;
    } else {
      if (c == '"') in_string = !in_string;
      repaired.text.push_back(c);
      ++at;
    }
  }
  return repaired;
}

}  // namespace gradwire
