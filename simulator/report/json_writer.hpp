#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gradwire {

/// How an object or array is laid out.
enum class JsonLayout {
  kLines,    ///< one member a line, indented by two spaces a level
  kOneLine,  ///< everything inside it on one line
};

/// Writes one JSON document to a stream as it is told. Closing what was not opened, a key outside
/// an object or a value without its key is our bug (GW_CHECK).
class JsonWriter {
 public:
  explicit JsonWriter(std::ostream& out) : out_(out) {}

  JsonWriter& begin_object(JsonLayout layout = JsonLayout::kLines);
  JsonWriter& end_object();
  JsonWriter& begin_array(JsonLayout layout = JsonLayout::kLines);
  JsonWriter& end_array();

  /// The next value's name; only inside an object.
  JsonWriter& key(std::string_view name);

  /// Escapes what JSON wants escaped; bytes that are no valid UTF-8 become U+FFFD.
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view{text}); }
  /// The shortest text that reads back as the same double; null when it is not finite.
  JsonWriter& value(double number);
  JsonWriter& value(bool truth);
  JsonWriter& value(std::nullptr_t);
  template <std::integral Integer>
  JsonWriter& value(Integer number) {
    if constexpr (std::signed_integral<Integer>) {
      return integer(static_cast<std::int64_t>(number));
    } else {
      return integer(static_cast<std::uint64_t>(number));
    }
  }
  /// null when absent.
  template <class Value>
  JsonWriter& value(const std::optional<Value>& maybe) {
    return maybe ? value(*maybe) : value(nullptr);
  }
  /// An array of them.
  JsonWriter& value(const std::vector<std::string>& texts);
  /// A number whose text the caller chose, such as "12.500".
  JsonWriter& number_text(std::string_view text);

  template <class Value>
  JsonWriter& member(std::string_view name, const Value& content) {
    return key(name).value(content);
  }

 private:
  struct Level {
    bool object;
    JsonLayout layout;
    bool empty;
  };

  JsonWriter& integer(std::int64_t number);
  JsonWriter& integer(std::uint64_t number);
  void begin_value();
  void separate();
  void open(bool object, JsonLayout layout);
  void close(bool object);
  void write_string(std::string_view text);

  std::ostream& out_;
  std::vector<Level> levels_;
  bool key_written_ = false;
  bool done_ = false;
};

}  // namespace gradwire
