#include "simulator/report/csv_writer.hpp"

#include <fmt/format.h>

#include <ostream>

#include "base/errors.hpp"

namespace gradwire {

CsvWriter::CsvWriter(std::ostream& out, const std::vector<std::string>& columns)
    : out_(out), columns_(columns.size()) {
  for (const std::string& column : columns) cell(std::string_view{column});
  end_row();
}

CsvWriter& CsvWriter::cell(std::string_view text) {
  GW_CHECK(cells_ < columns_, "a CSV row has no more cells than the header has columns");
  if (cells_++ > 0) out_ << ',';
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    out_ << text;
    return *this;
  }
  out_ << '"';
  for (const char c : text) {
    if (c == '"') out_ << '"';
    out_ << c;
  }
  out_ << '"';
  return *this;
}

CsvWriter& CsvWriter::cell(double number) {
  return cell(std::string_view{fmt::format("{}", number)});
}

void CsvWriter::end_row() {
  GW_CHECK(cells_ == columns_, "a CSV row has as many cells as the header has columns");
  out_ << '\n';
  cells_ = 0;
}

}  // namespace gradwire
