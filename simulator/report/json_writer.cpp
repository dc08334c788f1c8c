#include "simulator/report/json_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>

#include "base/errors.hpp"
#include "base/utf8.hpp"

namespace gradwire {
namespace {

void append_escaped(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
        out += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
      } else {
        out += c;
      }
  }
}

}  // namespace

JsonWriter& JsonWriter::begin_object(JsonLayout layout) {
  open(true, layout);
  return *this;
}

JsonWriter& JsonWriter::end_object() {
  close(true);
  return *this;
}

JsonWriter& JsonWriter::begin_array(JsonLayout layout) {
  open(false, layout);
  return *this;
}

JsonWriter& JsonWriter::end_array() {
  close(false);
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  GW_CHECK(!levels_.empty() && levels_.back().object && !key_written_,
           "a JSON key stands in an object, one before each value");
  separate();
  write_string(name);
  out_ << ": ";
  key_written_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  begin_value();
  write_string(text);
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  if (!std::isfinite(number)) return value(nullptr);
  return number_text(fmt::format("{}", number));
}

JsonWriter& JsonWriter::value(bool truth) { return number_text(truth ? "true" : "false"); }

JsonWriter& JsonWriter::value(std::nullptr_t) { return number_text("null"); }

JsonWriter& JsonWriter::integer(std::int64_t number) {
  return number_text(fmt::format_int(number).c_str());
}

JsonWriter& JsonWriter::integer(std::uint64_t number) {
  return number_text(fmt::format_int(number).c_str());
}

JsonWriter& JsonWriter::value(const std::vector<std::string>& texts) {
  begin_array();
  for (const std::string& text : texts) value(text);
  return end_array();
}

JsonWriter& JsonWriter::number_text(std::string_view text) {
  begin_value();
  out_ << text;
  return *this;
}

/// Puts what stands before a value. A document is one value.
void JsonWriter::begin_value() {
  GW_CHECK(!done_ || !levels_.empty(), "the JSON document is complete");
  if (levels_.empty()) {
    done_ = true;
  } else if (levels_.back().object) {
    GW_CHECK(key_written_, "a value in a JSON object needs its key");
    key_written_ = false;
  } else {
    separate();
  }
}

void JsonWriter::separate() {
  Level& level = levels_.back();
  if (!level.empty) out_ << ',';
  if (level.layout == JsonLayout::kLines) {
    out_ << '\n' << std::string(2 * levels_.size(), ' ');
  } else if (!level.empty) {
    out_ << ' ';
  }
  level.empty = false;
}

void JsonWriter::open(bool object, JsonLayout layout) {
  begin_value();
  if (!levels_.empty() && levels_.back().layout == JsonLayout::kOneLine) {
    layout = JsonLayout::kOneLine;
  }
  out_ << (object ? '{' : '[');
  levels_.push_back({object, layout, true});
}

void JsonWriter::close(bool object) {
  GW_CHECK(!levels_.empty() && levels_.back().object == object && !key_written_,
           "a JSON object or array is closed as it was opened");
  const Level level = levels_.back();
  levels_.pop_back();
  if (!level.empty && level.layout == JsonLayout::kLines) {
    out_ << '\n' << std::string(2 * levels_.size(), ' ');
  }
  out_ << (object ? '}' : ']');
  if (levels_.empty() && level.layout == JsonLayout::kLines) out_ << '\n';
}

void JsonWriter::write_string(std::string_view text) {
  std::string quoted = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0) {
      quoted += "\xEF\xBF\xBD";  // U+FFFD
    } else if (length == 1) {
      append_escaped(quoted, text[at]);
    } else {
      quoted += text.substr(at, length);
    }
    at += std::max(length, std::size_t{1});
  }
  out_ << quoted << '"';
}

}  // namespace gradwire
