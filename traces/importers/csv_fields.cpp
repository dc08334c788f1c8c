#include "traces/importers/csv_fields.hpp"

#include "traces/importers/decimal_time.hpp"

namespace gradwire {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\"");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\"") - first + 1);
}

}  // namespace

std::vector<std::string_view> split_fields(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.push_back(trimmed(text.substr(0, at)));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::optional<std::vector<std::int64_t>> parse_shape(std::string_view text) {
  std::vector<std::int64_t> shape;
  if (text.empty()) return shape;
  std::int64_t elements = 1;
  for (const std::string_view part : split_fields(text, 'x')) {
    const auto size = parse_integer(part);
    if (!size || *size <= 0 || __builtin_mul_overflow(elements, *size, &elements))
      return std::nullopt;
    shape.push_back(*size);
  }
  return shape;
}

}  // namespace gradwire
