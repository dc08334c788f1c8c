#include "traces/importers/gradient_list/gradient_list_importer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>

#include "base/errors.hpp"
#include "traces/importers/byte_source.hpp"
#include "traces/importers/csv_fields.hpp"
#include "traces/importers/decimal_time.hpp"
#include "traces/importers/gradient_list/gradient_row.hpp"

namespace gradwire {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string_view without_mark(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

/// What `# key: value` lines say of the whole list.
struct ListFacts {
  std::string device;
  std::optional<Nanoseconds> backward;
  std::string backward_place;
  std::optional<std::int64_t> batch;
  std::string source;
  std::string licence;
};

/// Key and value of a line `# key: value`; absent for another comment. A key is one word.
std::optional<std::pair<std::string_view, std::string_view>> split_fact(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view key = split_fields(line.substr(1, colon - 1), '\n').front();
  if (key.empty() || key.find_first_of(" \t#") != std::string_view::npos) return std::nullopt;
  return std::pair{key, split_fields(line.substr(colon + 1), '\n').front()};
}

void read_fact(std::string_view key, std::string_view value, const std::string& place,
               ListFacts& facts) {
  const auto refuse = [&](std::string_view accepted) {
    throw InputError(fmt::format("{}: {} is `{}`; {}", place, key, value, accepted));
  };
  if (value.empty()) refuse("a value is accepted, or no such line");
  if (key == "device") {
    facts.device = std::string(value);
  } else if (key == "source") {
    facts.source = std::string(value);
  } else if (key == "licence") {
    facts.licence = std::string(value);
  } else if (key == "batch") {
    facts.batch = parse_integer(value);
    if (facts.batch.value_or(0) <= 0) refuse("a whole number of samples above 0 is accepted");
  } else if (key == "backward_us") {
    facts.backward = parse_microseconds(value);
    facts.backward_place = place;
    if (facts.backward.value_or(Nanoseconds{0}) <= Nanoseconds{0}) {
      refuse("a number of microseconds above 0 is accepted");
    }
  } else {
    throw InputError(
        fmt::format("{}: `{}` is unknown; `device`, `batch`, `backward_us`, `source` and `licence` "
                    "are accepted (a remark begins with ##)",
                    place, key));
  }
}

/// Reads a list line by line.
class ListReader {
 public:
  explicit ListReader(std::string source) : source_(std::move(source)) {}

  void read(std::string_view text) {
    std::size_t number = 0;
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      read_line(text.substr(0, end), fmt::format("{}:{}", source_, ++number));
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    if (gradients_.empty()) {
      throw InputError(
          fmt::format("{}: lists no gradients; a header such as `parameter,shape,dtype,ready_us` "
                      "and one line each is accepted",
                      source_));
    }
    if (facts_.backward && *facts_.backward < gradients_.back().ready) {
      throw InputError(fmt::format(
          "{}: backward_us ends the backward pass at {:.3f}, before the last gradient is ready at "
          "{:.3f}; that time or later is accepted",
          facts_.backward_place, static_cast<double>(facts_.backward->count()) / 1e3,
          static_cast<double>(gradients_.back().ready.count()) / 1e3));
    }
  }

  Trace take() {
    Trace trace;
    const Nanoseconds end = facts_.backward.value_or(gradients_.back().ready);
    IterationMark iteration;
    iteration.end = end;
    iteration.representative = true;
    iteration.inferred = true;
    trace.iterations.push_back(iteration);
    trace.backwards.push_back(BackwardMark{0, Nanoseconds{0}, end});
    trace.gradients = std::move(gradients_);
    if (!facts_.device.empty()) trace.devices.push_back({0, facts_.device, {}, {}, {}});
    trace.batch_size = facts_.batch;
    trace.provenance.source = std::move(facts_.source);
    trace.provenance.licence = std::move(facts_.licence);
    return trace;
  }

 private:
  void read_line(std::string_view line, const std::string& place) {
    line = split_fields(line, '\n').front();
    if (line.empty()) return;
    if (line.front() == '#') {
      const auto fact = split_fact(line);
      if (!fact) return;
      if (!keys_.emplace(fact->first).second) {
        throw InputError(
            fmt::format("{}: `{}` is there twice; once is accepted", place, fact->first));
      }
      read_fact(fact->first, fact->second, place, facts_);
      return;
    }
    const auto fields = split_fields(line, ',');
    if (!columns_) {
      columns_ = read_gradient_header(fields, place);
      return;
    }
    const Nanoseconds previous = gradients_.empty() ? Nanoseconds{0} : gradients_.back().ready;
    Gradient gradient = read_gradient_row(fields, *columns_, previous, place);
    if (!gradient.parameter.empty() && !names_.insert(gradient.parameter).second) {
      throw InputError(fmt::format("{}: the parameter `{}` is there twice; each once is accepted",
                                   place, gradient.parameter));
    }
    gradients_.push_back(std::move(gradient));
  }

  std::string source_;
  ListFacts facts_;
  std::set<std::string> keys_;
  std::optional<GradientColumns> columns_;
  std::set<std::string> names_;
  std::vector<Gradient> gradients_;
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
  const auto fields = split_fields(head.substr(0, head.find('\n')), ',');
  return std::any_of(fields.begin(), fields.end(), is_gradient_column);
}

Imported GradientListImporter::read(const std::filesystem::path& path, const ImportOptions&) const {
  const std::string text = read_text(path);
  ListReader reader(path.string());
  reader.read(without_mark(text));
  Imported imported;
  imported.trace = reader.take();
  Provenance& provenance = imported.trace.provenance;
  if (provenance.source.empty()) provenance.source = path.filename().string();
  provenance.made_by = "gradwire import";
  ImportReport& report = imported.report;
  report.format = name();
  report.iterations_found_by = "one list is one iteration";
  report.backward_found_by = "the list's times";
  report.gradients_found_by = "the list's lines";
  return imported;
}

}  // namespace gradwire
