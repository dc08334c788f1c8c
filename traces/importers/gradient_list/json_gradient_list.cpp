#include "traces/importers/gradient_list/json_gradient_list.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "traces/importers/decimal_time.hpp"
#include "traces/importers/gradient_list/gradient_row.hpp"
#include "traces/importers/gradient_list/list_builder.hpp"
#include "traces/importers/json_scan.hpp"

namespace gradwire {
namespace {

using simdjson::dom::element;

/// The one sentence that may stand as `unit`: it fixes the unit and the element type of all
/// tensors. Source: the published lists of this form.
constexpr std::string_view kUnit =
    "us between consecutive gradient-ready times (first = 0); sizes in elements fp32";

[[noreturn]] void refuse(const std::string& place, const std::string& what) {
  throw InputError(fmt::format("{}: {}", place, what));
}

/// Key of a record -> column of a list: the published lists' own names beside ours.
std::string_view column_of(std::string_view key) {
  if (key == "name") return "parameter";
  if (key == "elems") return "elements";
  return key;
}

/// A value as a field of the CSV form: text without its quotes, an array of sizes joined by x,
/// anything else as it is written.
std::string field_of(const element& value) {
  if (value.is_string()) return std::string(value.get_string().value_unsafe());
  simdjson::dom::array items;
  if (value.get(items) != simdjson::SUCCESS) return simdjson::minify(value);
  std::string joined;
  for (const element item : items) {
    joined += (joined.empty() ? "" : "x") + std::string(simdjson::minify(item));
  }
  return joined;
}

/// Sums that a list states of itself; absent where it does not.
struct StatedSums {
  std::optional<std::int64_t> tensors;
  std::optional<std::int64_t> gaps;
  std::optional<std::int64_t> elements;
  std::optional<Nanoseconds> gap;
};

class JsonListReader {
 public:
  explicit JsonListReader(const std::string& source) : source_(source), builder_(source, "") {}

  Trace read(const simdjson::dom::object& list) {
    std::optional<simdjson::dom::array> tensors;
    for (const auto [key, value] : list) {
      if (key == "tensors") {
        simdjson::dom::array items;
        if (tensors) refuse(source_, "`tensors` is there twice; once is accepted");
        if (value.get(items) != simdjson::SUCCESS) refuse(source_, "`tensors` is no array");
        tensors = items;
      } else if (key == "unit") {
        read_unit(field_of(value));
      } else if (!read_sum(key, field_of(value))) {
        builder_.add_fact(key, field_of(value), source_);
      }
    }
    if (tensors) read_tensors(*tensors);
    check_sums();
    return builder_.take("objects with `name`, `elems` and `gap_us` in `tensors` are accepted");
  }

 private:
  void read_unit(const std::string& unit) {
    if (unit != kUnit) {
      refuse(source_, fmt::format("unit is `{}`; `{}` is accepted, or none", unit, kUnit));
    }
    default_dtype_ = "float32";
  }

  /// True when `key` is a sum that the list states.
  bool read_sum(std::string_view key, const std::string& value) {
    bool read = false;
    if (key == "n_tensors") {
      read = (sums_.tensors = parse_integer(value)).has_value();
    } else if (key == "n_gaps") {
      read = (sums_.gaps = parse_integer(value)).has_value();
    } else if (key == "total_elems") {
      read = (sums_.elements = parse_integer(value)).has_value();
    } else if (key == "total_gap_us") {
      read = (sums_.gap = parse_microseconds(value)).has_value();
    } else {
      return false;
    }
    if (!read) refuse(source_, fmt::format("{} is `{}`; a number is accepted", key, value));
    return true;
  }

  void read_tensors(const simdjson::dom::array& tensors) {
    std::size_t index = 0;
    for (const element tensor : tensors) {
      const std::string place = fmt::format("{}: tensors[{}]", source_, index++);
      simdjson::dom::object record;
      if (tensor.get(record) != simdjson::SUCCESS) {
        refuse(place, fmt::format("is `{}`; an object such as {{\"name\": \"fc.bias\", \"elems\": "
                                  "1000, \"gap_us\": 5}} is accepted",
                                  std::string(simdjson::minify(tensor))));
      }
      read_tensor(record, place);
    }
  }

  void read_tensor(const simdjson::dom::object& record, const std::string& place) {
    std::vector<std::string_view> columns;
    std::vector<std::string> values;
    for (const auto [key, value] : record) {
      columns.push_back(column_of(key));
      values.push_back(field_of(value));
    }
    if (std::find(columns.begin(), columns.end(), "dtype") == columns.end()) {
      columns.emplace_back("dtype");
      values.push_back(default_dtype_);
    }
    const std::vector<std::string_view> fields(values.begin(), values.end());
    builder_.add_gradient(fields, read_gradient_header(columns, place), place);
  }

  void check_sums() const {
    const std::vector<Gradient>& gradients = builder_.gradients();
    const auto count = static_cast<std::int64_t>(gradients.size());
    const auto check = [this](std::string_view key, std::int64_t stated, std::int64_t found) {
      if (stated == found) return;
      refuse(source_, fmt::format("{} is {} but the tensors make {}; the same is accepted", key,
                                  stated, found));
    };
    if (sums_.tensors) check("n_tensors", *sums_.tensors, count);
    if (sums_.gaps) check("n_gaps", *sums_.gaps, count);
    if (sums_.elements) check("total_elems", *sums_.elements, total_elements());
    if (sums_.gap && !gradients.empty() && *sums_.gap != gradients.back().ready) {
      refuse(source_,
             fmt::format("total_gap_us is {:.3f} but the tensors make {:.3f}; the same is accepted",
                         static_cast<double>(sums_.gap->count()) / 1e3,
                         static_cast<double>(gradients.back().ready.count()) / 1e3));
    }
  }

  std::int64_t total_elements() const {
    std::int64_t total = 0;
    for (const Gradient& gradient : builder_.gradients()) {
      const std::int64_t elements = gradient.elements ? gradient.elements->count() : 0;
      if (__builtin_add_overflow(total, elements, &total)) {
        refuse(source_, "its tensors hold more than 2^63 elements; fewer are accepted");
      }
    }
    return total;
  }

  std::string source_;
  GradientListBuilder builder_;
  StatedSums sums_;
  std::string default_dtype_;
};

/// The value that begins at `at`, as far as `head` holds it whole.
std::optional<std::string_view> value_at(std::string_view head, std::size_t at) {
  ValueScanner scanner;
  const std::optional<std::size_t> size = scanner.feed(head.substr(at));
  if (!size) return std::nullopt;
  return head.substr(at, *size);
}

/// Position behind the value at `at`; absent when the head ends in it.
std::optional<std::size_t> skip_value(std::string_view head, std::size_t at) {
  if (at >= head.size()) return std::nullopt;
  if (head[at] == '"' || head[at] == '{' || head[at] == '[') {
    const auto value = value_at(head, at);
    if (!value) return std::nullopt;
    return at + value->size();
  }
  const std::size_t end = head.find_first_of(",}", at);
  if (end == std::string_view::npos) return std::nullopt;
  return end;
}

}  // namespace

bool is_json_gradient_list(std::string_view head) {
  std::size_t at = skip_space(head, 0);
  if (at >= head.size() || head[at] != '{') return false;
  while (true) {
    at = skip_space(head, at + 1);  // behind `{` or `,`
    if (at >= head.size() || head[at] != '"') return false;
    const auto key = value_at(head, at);
    if (!key) return false;
    at = skip_space(head, at + key->size());
    if (at >= head.size() || head[at] != ':') return false;
    at = skip_space(head, at + 1);
    if (*key == "\"tensors\"") return at < head.size() && head[at] == '[';
    const auto end = skip_value(head, at);
    if (!end) return false;
    at = skip_space(head, *end);
    if (at >= head.size() || head[at] != ',') return false;
  }
}

Trace read_json_gradient_list(std::string_view text, const std::string& source) {
  simdjson::dom::parser parser;
  element root;
  const simdjson::padded_string padded(text);
  if (const auto error = parser.parse(padded).get(root); error != simdjson::SUCCESS) {
    refuse(source, fmt::format("is no whole JSON ({}); one object with `tensors` is accepted",
                               simdjson::error_message(error)));
  }
  simdjson::dom::object list;
  if (root.get(list) != simdjson::SUCCESS) {
    refuse(source, "is no JSON object; one with `tensors` is accepted");
  }
  return JsonListReader(source).read(list);
}

}  // namespace gradwire
