#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace gradwire {

/// All of `text` as a number; absent when it is none, has anything around it or does not fit. Of a
/// double "inf" and "nan" are numbers too.
template <class Number>
std::optional<Number> number_from(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace gradwire
