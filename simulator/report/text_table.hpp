#pragma once

#include <string>
#include <vector>

namespace gradwire {

/// A plain-text table for people: columns two spaces apart, as wide as their widest cell.
class TextTable {
 public:
  enum class Align { kLeft, kRight };

  struct Column {
    std::string title;  ///< with its unit: "iteration ms"
    Align align = Align::kRight;
  };

  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// A cell for each column (GW_CHECK).
  void add_row(std::vector<std::string> cells);

  /// Title line, then a line a row; each ends in "\n" and none in spaces. Without any title there
  /// is no title line.
  std::string text() const;

  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<std::vector<std::string>>& rows() const { return rows_; }

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace gradwire
