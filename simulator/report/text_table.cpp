#include "simulator/report/text_table.hpp"

#include <algorithm>

#include "base/errors.hpp"

namespace gradwire {
namespace {

/// Characters of UTF-8 `text`: its bytes without continuation bytes.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

}  // namespace

void TextTable::add_row(std::vector<std::string> cells) {
  GW_CHECK(cells.size() == columns_.size(), "a table row has a cell for each column");
  rows_.push_back(std::move(cells));
}

std::string TextTable::text() const {
  std::vector<std::string> titles;
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) {
    titles.push_back(column.title);
    widths.push_back(width_of(column.title));
  }
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string text;
  const auto add_line = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) line += "  ";
      const std::string padding(widths[i] - width_of(cells[i]), ' ');
      line += columns_[i].align == Align::kLeft ? cells[i] + padding : padding + cells[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  };
  const bool titled = std::any_of(titles.begin(), titles.end(),
                                  [](const std::string& title) { return !title.empty(); });
  if (titled) add_line(titles);
  for (const auto& row : rows_) add_line(row);
  return text;
}

}  // namespace gradwire
