#include "traces/importers/json_scan.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gradwire {
namespace {

using Kind = EventBoundary::Kind;

/// Length of the value when `text` is fed in pieces of `piece` bytes.
std::optional<std::size_t> length_by_pieces(const std::string& text, std::size_t piece) {
  ValueScanner scanner;
  for (std::size_t at = 0; at < text.size(); at += piece) {
    if (const auto used = scanner.feed(std::string_view(text).substr(at, piece))) return at + *used;
  }
  return std::nullopt;
}

TEST(ValueScanner, FindsTheSameEndHoweverTheTextIsCut) {
  const std::string value = R"({"a": "}\"]\\", "b": [{"c": "\\\\"}, "\\\"{"], "d": {}})";
  for (std::size_t piece = 1; piece <= value.size() + 3; ++piece) {
    EXPECT_EQ(length_by_pieces(value + "}, [", piece), value.size()) << piece;
  }
}

TEST(ValueScanner, EndsAStringAtItsClosingQuote) {
  EXPECT_EQ(length_by_pieces(R"("a\"b" , 1)", 100), 6u);
}

TEST(ValueScanner, SaysNothingWhileTheValueIsOpen) {
  EXPECT_FALSE(length_by_pieces(R"({"a": [1, 2)", 100));
  EXPECT_FALSE(length_by_pieces(R"({"a": "}")", 100));
}

TEST(EventBoundary, StandsBetweenTwoEvents) {
  const std::string text = "\"x\"}\r\n },\r\n {  \"ph\"";
  const EventBoundary boundary = find_event_boundary(text, 0, false);
  EXPECT_EQ(boundary.kind, Kind::kNextEvent);
  EXPECT_EQ(text[boundary.close], '}');
  EXPECT_EQ(boundary.next, text.find('{'));
}

TEST(EventBoundary, IsNotTheEndOfANestedObject) {
  EXPECT_EQ(find_event_boundary(R"({"args": {"a": 1}, "b": 2)", 0, false).kind, Kind::kNone);
}

TEST(EventBoundary, StandsAtTheEndOfTheList) {
  EXPECT_EQ(find_event_boundary("} ], \"traceName\"", 0, false).kind, Kind::kListEnd);
  EXPECT_EQ(find_event_boundary("}]\n", 0, true).kind, Kind::kListEnd);
}

TEST(EventBoundary, IsNotAtAStrayBracket) {
  EXPECT_EQ(find_event_boundary("} ] }, 1", 0, false).kind, Kind::kNone);
  EXPECT_EQ(find_event_boundary("} ] {", 0, true).kind, Kind::kNone);
}

TEST(EventBoundary, IsUndecidedWhereTheTextIsCut) {
  for (const char* text : {"}", "} ,", "},{", "}, {  ", "} ]"}) {
    EXPECT_EQ(find_event_boundary(text, 0, false).kind, Kind::kUndecided) << text;
  }
}

}  // namespace
}  // namespace gradwire
