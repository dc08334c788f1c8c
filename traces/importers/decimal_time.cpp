#include "traces/importers/decimal_time.hpp"
#include "base/number_text.hpp"

#include <limits>

namespace gradwire {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Significant digits and the power of ten of the last one.
struct Decimal {
  bool negative = false;
  std::int64_t digits = 0;
  int exponent = 0;
};

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

/// Appends one digit; digits that no longer fit are dropped below the point and refused above it.
bool append(Decimal& number, char c, bool fraction) {
  if (number.digits > (kLargest - 9) / 10) return fraction;
  number.digits = number.digits * 10 + (c - '0');
  if (fraction) --number.exponent;
  return true;
}

std::optional<Decimal> parse_decimal(std::string_view text) {
  Decimal number;
  std::size_t at = 0;
  if (at < text.size() && text[at] == '-') {
    number.negative = true;
    ++at;
  }
  bool any = false;
  bool fraction = false;
  for (; at < text.size(); ++at) {
    if (is_digit(text[at])) {
      any = true;
      if (!append(number, text[at], fraction)) return std::nullopt;
    } else if (text[at] == '.' && !fraction) {
      fraction = true;
    } else {
      break;
    }
  }
  if (!any) return std::nullopt;
  if (at == text.size()) return number;
  if (text[at] != 'e' && text[at] != 'E') return std::nullopt;
  std::string_view power = text.substr(at + 1);
  if (power.starts_with('+')) power.remove_prefix(1);
  const auto exponent = parse_integer(power);
  if (!exponent || *exponent < -100 || *exponent > 100) return std::nullopt;
  number.exponent += static_cast<int>(*exponent);
  return number;
}

}  // namespace

std::optional<Nanoseconds> parse_microseconds(std::string_view text) {
  auto number = parse_decimal(text);
  if (!number) return std::nullopt;
  number->exponent += 3;
  for (; number->exponent > 0 && number->digits != 0; --number->exponent) {
    if (number->digits > kLargest / 10) return std::nullopt;
    number->digits *= 10;
  }
  std::int64_t dropped = 0;
  for (; number->exponent < 0; ++number->exponent) {
    dropped = number->digits % 10;
    number->digits /= 10;
  }
  if (dropped >= 5) ++number->digits;
  return Nanoseconds{number->negative ? -number->digits : number->digits};
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  return number_from<std::int64_t>(text);
}

}  // namespace gradwire
