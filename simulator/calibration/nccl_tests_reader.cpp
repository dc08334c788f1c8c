#include "simulator/calibration/nccl_tests_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/errors.hpp"
#include "base/number_text.hpp"

namespace gradwire {
namespace {

using Tokens = std::vector<std::string_view>;

bool is_blank(char character) { return character == ' ' || character == '\t' || character == '\r'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

Tokens words_of(std::string_view line) {
  Tokens words;
  for (line = trimmed(line); !line.empty(); line = trimmed(line)) {
    const auto end = std::find_if(line.begin(), line.end(), is_blank);
    const auto length = static_cast<std::size_t>(end - line.begin());
    words.push_back(line.substr(0, length));
    line.remove_prefix(length);
  }
  return words;
}

Tokens fields_of(std::string_view line) {
  Tokens fields;
  while (true) {
    const std::size_t comma = line.find(',');
    fields.push_back(trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

/// "[1,0]<stdout>:" of mpirun --tag-output and "12: " of srun --label.
std::string_view without_launcher_prefix(std::string_view line) {
  constexpr std::string_view kTag = "]<stdout>:";
  const std::size_t tag = line.find(kTag);
  if (!line.empty() && line.front() == '[' && tag != std::string_view::npos) {
    return line.substr(tag + kTag.size());
  }
  const std::size_t colon = line.find(": ");
  if (colon != std::string_view::npos && number_from<int>(trimmed(line.substr(0, colon)))) {
    return line.substr(colon + 2);
  }
  return line;
}

/// What the line that names them says of a table's columns.
struct TableColumns {
  std::vector<std::string> names;
  bool commas = false;
};

/// The half that is a row's out-of-place or in-place part, still as text.
struct HalfOfRow {
  std::string_view time, algorithm, bus, wrong;
};

class NcclTestsReader {
 public:
  explicit NcclTestsReader(const std::string& file) : file_(file) {}

  void read_line(std::string_view line, bool cut) {
    ++line_;
    line = trimmed(without_launcher_prefix(line));
    if (line.empty()) return;
    if (line.front() == '#') return read_comment(line.substr(1));
    const Tokens fields = fields_of(line);
    if (fields.front() == "size" && fields.size() > 1) return open_table(fields, true);
    const bool commas = columns_ ? columns_->commas : fields.size() > 1;
    const Tokens words = commas ? fields : words_of(line);
    if (!number_from<double>(words.front())) return;  // what others print between the rows
    if (!columns_) {
      // A number that opens a line of text is none of ours; a row is nothing but a row.
      if (words.size() < kFewestColumns || !number_from<double>(words[1])) return;
      refuse("a row of numbers found before the line that names the columns (size, count, ...)");
    }
    read_row(words, cut);
  }

  std::vector<CollectiveTable> take_tables() {
    end_table();
    if (tables_.empty()) {
      throw InputError(fmt::format(
          "{}: no table of nccl-tests with a row found in {} lines; accepted: what the program "
          "prints, or comma-separated values under a line size,count,type,...,time,algbw,busbw",
          file_, line_));
    }
    return std::move(tables_);
  }

 private:
  static constexpr std::size_t kFewestColumns = 6;  ///< size count type time algbw busbw

  [[noreturn]] void refuse(const std::string& what) const {
    throw InputError(fmt::format("{}:{}: {}", file_, line_, what));
  }

  void read_comment(std::string_view comment) {
    const Tokens words = words_of(comment);
    if (words.empty()) return;
    if (words.front() == "size" && words.size() > 1) return open_table(words, false);
    if (words.front() == "(B)") return check_units(words);
    if (words.front() == "nThread" || comment.find("Using devices") != std::string_view::npos ||
        comment.find("test starting:") != std::string_view::npos) {
      if (columns_) begin_header();
    }
    if (comment.find("test starting:") != std::string_view::npos) {
      header_.test = words.back();
      constexpr std::string_view kEnding = "_perf";
      const std::size_t ending = header_.test.rfind(kEnding);
      if (ending != std::string::npos) header_.test.resize(ending);
    }
    if (words.front() == "Rank") read_rank(words);
    if (words.front() == "Avg" || words.front() == "Out") ended_ = true;
  }

  void read_rank(const Tokens& words) {
    for (std::size_t i = 1; i + 1 < words.size(); ++i) {
      if (words[i] == "on") {
        header_.hosts.emplace_back(words[i + 1]);
        return;
      }
      if (words[i] == "Group") {
        header_.groups = std::max(header_.groups, number_from<int>(words[i + 1]).value_or(0) + 1);
      }
    }
  }

  void check_units(const Tokens& words) const {
    const auto has = [&](std::string_view unit) {
      return std::find(words.begin(), words.end(), unit) != words.end();
    };
    if (!has("(us)") || !has("(GB/s)")) {
      refuse("units other than those of nccl-tests found; accepted: (B), (us), (GB/s)");
    }
  }

  void begin_header() {
    end_table();
    header_ = {};
  }

  void open_table(const Tokens& names, bool commas) {
    end_table();
    columns_ = TableColumns{{names.begin(), names.end()}, commas};
    for (const std::string_view needed : {"count", "type", "time", "algbw", "busbw"}) {
      if (std::find(names.begin(), names.end(), needed) == names.end()) {
        refuse(fmt::format(
            "no column {} found; size, count, type, time, algbw and busbw are needed", needed));
      }
    }
    ended_ = commas;  // comma-separated values have no summary at their end
    table_ = {};
    table_.file = file_;
    table_.line = line_;
    table_.header = header_;
  }

  void end_table() {
    if (!columns_) return;
    columns_.reset();
    if (empty_rows_ > 0) {
      table_.notes.push_back(fmt::format("rows of size 0 are left out: {}", empty_rows_));
    }
    empty_rows_ = 0;
    if (!ended_) table_.notes.emplace_back("the table ends without its summary: it may be cut off");
    if (table_.header.groups > 1) {
      table_.notes.push_back(
          fmt::format("{} groups of ranks ran at the same time and may have shared links",
                      table_.header.groups));
    }
    if (!table_.rows.empty()) tables_.push_back(std::move(table_));
  }

  void read_row(const Tokens& words, bool cut) {
    try {
      add_row(words);
    } catch (const InputError&) {
      if (!cut) throw;
      table_.notes.push_back(
          fmt::format("line {} is cut by the end of the file and left out", line_));
    }
  }

  /// The columns of a row. Versions that reduce nothing leave the columns redop and root blank
  /// (recalled).
  std::vector<std::string> columns_of(const Tokens& words) const {
    std::vector<std::string> names = columns_->names;
    const auto drop = [&](std::string_view name) {
      names.erase(std::remove(names.begin(), names.end(), name), names.end());
    };
    if (!columns_->commas && words.size() + 2 == names.size()) {
      drop("redop");
      drop("root");
    } else if (!columns_->commas && words.size() + 1 == names.size()) {
      drop(number_from<double>(words[std::min<std::size_t>(3, words.size() - 1)]) ? "redop"
                                                                                  : "root");
    }
    if (names.size() != words.size()) {
      refuse(fmt::format("{} columns found; {} are accepted: {}", words.size(),
                         columns_->names.size(), fmt::join(columns_->names, " ")));
    }
    return names;
  }

  void add_row(const Tokens& words) {
    const std::vector<std::string> names = columns_of(words);
    TableRow row;
    row.line = line_;
    std::vector<HalfOfRow> halves;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string& name = names[i];
      if (name == "size") row.size = Bytes{count(name, words[i])};
      if (name == "count") row.count = Elements{count(name, words[i])};
      if (name == "type") row.type = words[i];
      if (name == "redop") row.reduction = words[i];
      if (name == "root") row.root = root(words[i]);
      if (name == "time") halves.push_back({words[i], {}, {}, {}});
      if (halves.empty()) continue;
      if (name == "algbw") halves.back().algorithm = words[i];
      if (name == "busbw") halves.back().bus = words[i];
      if (name == "#wrong" || name == "error") halves.back().wrong = words[i];
    }
    const std::optional<TableTiming> first = timing(halves.front());
    if (halves.size() > 1) row.in_place = timing(halves[1]);
    if (row.size.count() == 0) {
      ++empty_rows_;
    } else if (!first) {
      table_.notes.push_back(
          fmt::format("line {} has no out-of-place time and is left out", line_));
    } else {
      row.out_of_place = *first;
      table_.rows.push_back(std::move(row));
    }
  }

  std::int64_t count(const std::string& column, std::string_view text) const {
    const auto value = number_from<std::int64_t>(text);
    if (!value || *value < 0) {
      refuse(fmt::format("{}: \"{}\" found; a whole number from 0 up is accepted", column, text));
    }
    return *value;
  }

  int root(std::string_view text) const {
    const auto value = number_from<int>(text);
    if (!value || *value < -1) {
      refuse(fmt::format("root: \"{}\" found; a rank or -1 is accepted", text));
    }
    return *value;
  }

  double figure(std::string_view column, std::string_view text) const {
    const auto value = number_from<double>(text);
    if (!value || !std::isfinite(*value) || *value < 0.0) {
      refuse(fmt::format("{}: \"{}\" found; a number from 0 up is accepted", column, text));
    }
    return *value;
  }

  /// Absent where the program says N/A.
  std::optional<TableTiming> timing(const HalfOfRow& half) const {
    if (half.time == "N/A") return {};
    TableTiming timing;
    const double microseconds = figure("time", half.time);
    if (microseconds == 0.0) refuse("time: 0 us found; a time above zero is accepted");
    timing.time = Seconds{microseconds * 1e-6};
    timing.algorithm_gigabytes = figure("algbw", half.algorithm);
    timing.bus_gigabytes = figure("busbw", half.bus);
    // A count of wrong elements, or before 2.13 (recalled) the largest error: "2e-07" is right.
    if (half.wrong.empty() || half.wrong == "N/A") return timing;
    timing.wrong = figure("#wrong", half.wrong) >= 1.0;
    return timing;
  }

  const std::string& file_;
  int line_ = 0;
  TableHeader header_;
  std::optional<TableColumns> columns_;  ///< of the table that is being read
  CollectiveTable table_;
  bool ended_ = false;
  int empty_rows_ = 0;
  std::vector<CollectiveTable> tables_;
};

}  // namespace

std::vector<CollectiveTable> read_nccl_tests(const std::string& text, const std::string& file) {
  NcclTestsReader reader(file);
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    reader.read_line(rest.substr(0, end), end == std::string_view::npos);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return reader.take_tables();
}

}  // namespace gradwire
