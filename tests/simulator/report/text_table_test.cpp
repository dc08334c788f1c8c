#include "simulator/report/text_table.hpp"

#include <gtest/gtest.h>

#include "base/errors.hpp"

namespace gradwire {
namespace {

TEST(TextTable, AlignsTextLeftAndNumbersRight) {
  TextTable table({{"bucket", TextTable::Align::kLeft}, {"size MB"}});
  table.add_row({"A0", "8.2"});
  table.add_row({"A1", "131.5"});
  EXPECT_EQ(table.text(), "bucket  size MB\nA0          8.2\nA1        131.5\n");
}

TEST(TextTable, CountsCharactersNotBytes) {
  TextTable table({{"\u00b5s"}, {"n"}});
  table.add_row({"12", "3"});
  EXPECT_EQ(table.text(), "\u00b5s  n\n12  3\n");
}

TEST(TextTable, WithoutTitlesThereIsNoTitleLineAndNoLineEndsInSpaces) {
  TextTable table({{"", TextTable::Align::kLeft}, {"", TextTable::Align::kLeft}});
  table.add_row({"long name", "x"});
  table.add_row({"a", ""});
  EXPECT_EQ(table.text(), "long name  x\na\n");
}

TEST(TextTable, ARowOfTheWrongLengthIsABug) {
  TextTable table({{"a"}, {"b"}});
  EXPECT_THROW(table.add_row({"1"}), BugError);
}

}  // namespace
}  // namespace gradwire
