#pragma once

#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gradwire {

/// Writes comma-separated values with the quoting of RFC 4180; lines end in "\n" alone, as Unix
/// tools want it. Numbers are the shortest text that reads back as the same value.
class CsvWriter {
 public:
  /// Writes the header. Column names carry their unit ("iteration_s").
  CsvWriter(std::ostream& out, const std::vector<std::string>& columns);

  CsvWriter& cell(std::string_view text);
  CsvWriter& cell(const char* text) { return cell(std::string_view{text}); }
  /// "inf", "-inf" or "nan" when it is not finite.
  CsvWriter& cell(double number);
  CsvWriter& cell(bool truth) { return cell(std::string_view{truth ? "true" : "false"}); }
  template <std::integral Integer>
  CsvWriter& cell(Integer number) {
    return cell(std::string_view{std::to_string(number)});
  }
  /// Empty when absent.
  template <class Value>
  CsvWriter& cell(const std::optional<Value>& maybe) {
    return maybe ? cell(*maybe) : cell(std::string_view{});
  }

  /// Ends the row. It must have a cell for each column (GW_CHECK).
  void end_row();

 private:
  std::ostream& out_;
  std::size_t columns_;
  std::size_t cells_ = 0;
};

}  // namespace gradwire
