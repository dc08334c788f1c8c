#include "simulator/report/json_writer.hpp"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <limits>
#include <sstream>
#include <string>

#include "base/errors.hpp"

namespace gradwire {
namespace {

/// The text of one JSON string holding `content`.
std::string written(std::string_view content) {
  std::ostringstream out;
  JsonWriter(out).value(content);
  return out.str();
}

std::string read_back(const std::string& json) {
  simdjson::dom::parser parser;
  return std::string{parser.parse(json).get_string().value()};
}

template <class Number>
std::string number(Number value) {
  std::ostringstream out;
  JsonWriter(out).value(value);
  return out.str();
}

TEST(JsonWriter, EveryAsciiCharacterReadsBackAsItself) {
  std::string all;
  for (int c = 0; c < 128; ++c) all += static_cast<char>(c);
  EXPECT_EQ(read_back(written(all)), all);
}

TEST(JsonWriter, ValidUtf8StaysAsItIs) {
  const std::string text = "\u00b5s \u20ac \U0001F600";
  EXPECT_EQ(written(text), '"' + text + '"');
}

TEST(JsonWriter, EachByteThatIsNoUtf8BecomesTheReplacementCharacter) {
  // A lone continuation byte, an overlong slash, a surrogate, a cut sequence.
  EXPECT_EQ(read_back(written("a\x80z")), "a\uFFFDz");
  EXPECT_EQ(read_back(written("\xC0\xAF")), "\uFFFD\uFFFD");
  EXPECT_EQ(read_back(written("\xED\xA0\x80")), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(read_back(written("\xE2\x82")), "\uFFFD\uFFFD");
}

TEST(JsonWriter, DoublesAreTheShortestTextThatReadsBackTheSame) {
  EXPECT_EQ(number(0.1), "0.1");
  EXPECT_EQ(number(1e300), "1e+300");
  EXPECT_EQ(number(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(number(-2.0), "-2");
}

TEST(JsonWriter, NonFiniteDoublesAreNull) {
  EXPECT_EQ(number(std::numeric_limits<double>::quiet_NaN()), "null");
  EXPECT_EQ(number(-std::numeric_limits<double>::infinity()), "null");
}

TEST(JsonWriter, WholeNumbersKeepAllDigits) {
  EXPECT_EQ(number(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(number(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
}

TEST(JsonWriter, AbsentValuesAreNullAndBoolsAreWords) {
  EXPECT_EQ(number(std::optional<int>{}), "null");
  EXPECT_EQ(number(std::optional<int>{7}), "7");
  EXPECT_EQ(number(true), "true");
}

TEST(JsonWriter, LayoutsNestAndParse) {
  std::ostringstream out;
  JsonWriter json(out);
  json.begin_object().member("name", "x").key("empty").begin_array().end_array();
  json.key("points").begin_array();
  json.begin_object(JsonLayout::kOneLine).member("x", 1).key("y").begin_array();
  json.value(2).value(3).end_array().end_object();
  json.end_array().end_object();
  EXPECT_EQ(out.str(),
            "{\n  \"name\": \"x\",\n  \"empty\": [],\n  \"points\": [\n"
            "    {\"x\": 1, \"y\": [2, 3]}\n  ]\n}\n");
  simdjson::dom::parser parser;
  EXPECT_EQ(parser.parse(out.str()).error(), simdjson::SUCCESS);
}

TEST(JsonWriter, MisuseIsABug) {
  std::ostringstream out;
  EXPECT_THROW(JsonWriter(out).key("k"), BugError);
  EXPECT_THROW(JsonWriter(out).begin_object().value(1), BugError);
  EXPECT_THROW(JsonWriter(out).begin_object().key("a").key("b"), BugError);
  EXPECT_THROW(JsonWriter(out).begin_object().key("a").end_object(), BugError);
  EXPECT_THROW(JsonWriter(out).begin_array().end_object(), BugError);
  EXPECT_THROW(JsonWriter(out).value(1).value(2), BugError);
}

}  // namespace
}  // namespace gradwire
