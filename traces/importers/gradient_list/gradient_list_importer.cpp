#include "traces/importers/gradient_list/gradient_list_importer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/errors.hpp"
#include "traces/importers/byte_source.hpp"
#include "traces/importers/csv_fields.hpp"
#include "traces/importers/gradient_list/gradient_row.hpp"
#include "traces/importers/gradient_list/json_gradient_list.hpp"
#include "traces/importers/gradient_list/list_builder.hpp"

namespace gradwire {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string_view without_mark(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

/// Key and value of a line `# key: value`; absent for another comment. A key is one word.
std::optional<std::pair<std::string_view, std::string_view>> split_fact(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view key = split_fields(line.substr(1, colon - 1), '\n').front();
  if (key.empty() || key.find_first_of(" \t#") != std::string_view::npos) return std::nullopt;
  return std::pair{key, split_fields(line.substr(colon + 1), '\n').front()};
}

/// Reads a list of comma-separated lines.
class CsvListReader {
 public:
  explicit CsvListReader(const std::string& source)
      : source_(source), builder_(source, " (a remark begins with ##)") {}

  Trace read(std::string_view text) {
    std::size_t number = 0;
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      read_line(text.substr(0, end), fmt::format("{}:{}", source_, ++number));
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return builder_.take(
        "a header such as `parameter,shape,dtype,ready_us` and one line each is accepted");
  }

 private:
  void read_line(std::string_view line, const std::string& place) {
    line = split_fields(line, '\n').front();
    if (line.empty()) return;
    if (line.front() == '#') {
      if (const auto fact = split_fact(line)) {
        builder_.add_fact(fact->first, fact->second, place);
      }
      return;
    }
    const auto fields = split_fields(line, ',');
    if (!columns_) {
      columns_ = read_gradient_header(fields, place);
    } else {
      builder_.add_gradient(fields, *columns_, place);
    }
  }

  std::string source_;
  GradientListBuilder builder_;
  std::optional<GradientColumns> columns_;
};

std::string read_text(const std::filesystem::path& path) {
  ByteSource source(path);
  std::string text;
  std::array<char, 65536> block;
  while (const std::size_t size = source.read(block.data(), block.size())) {
    text.append(block.data(), size);
  }
  if (source.damage()) {
    throw InputError(fmt::format("{}: {}; a gradient list is accepted whole only", path.string(),
                                 source.damage()->text));
  }
  return text;
}

}  // namespace

std::string_view GradientListImporter::name() const { return "gradient list"; }

bool GradientListImporter::sniff(std::string_view head) const {
  head = without_mark(head);
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return false;
  head.remove_prefix(first);
  if (head.front() == '#') return true;
  if (head.front() == '{') return is_json_gradient_list(head);
  if (head.front() == '[') return false;
  const auto fields = split_fields(head.substr(0, head.find('\n')), ',');
  return std::any_of(fields.begin(), fields.end(), is_gradient_column);
}

Imported GradientListImporter::read(const std::filesystem::path& path, const ImportOptions&) const {
  const std::string bytes = read_text(path);
  const std::string_view text = without_mark(bytes);
  const bool json = is_json_gradient_list(text);
  Imported imported;
  imported.trace =
      json ? read_json_gradient_list(text, path.string()) : CsvListReader(path.string()).read(text);
  Provenance& provenance = imported.trace.provenance;
  if (provenance.source.empty()) provenance.source = path.filename().string();
  provenance.made_by = "gradwire import";
  ImportReport& report = imported.report;
  report.format = json ? fmt::format("{}, JSON", name()) : std::string(name());
  report.iterations_found_by = "one list is one iteration";
  report.backward_found_by = "the list's times";
  report.gradients_found_by = json ? "the list's tensors" : "the list's lines";
  return imported;
}

}  // namespace gradwire
