#include "simulator/report/csv_writer.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "base/errors.hpp"

namespace gradwire {
namespace {

std::string cell_text(std::string_view text) {
  std::ostringstream out;
  CsvWriter(out, {"c"}).cell(text).end_row();
  return out.str().substr(2);  // behind the header line
}

TEST(CsvWriter, QuotesOnlyWhatNeedsIt) {
  EXPECT_EQ(cell_text("plain text; fine"), "plain text; fine\n");
  EXPECT_EQ(cell_text("a,b"), "\"a,b\"\n");
  EXPECT_EQ(cell_text("say \"x\""), "\"say \"\"x\"\"\"\n");
  EXPECT_EQ(cell_text("two\nlines"), "\"two\nlines\"\n");
  EXPECT_EQ(cell_text("cr\r"), "\"cr\r\"\n");
}

TEST(CsvWriter, WritesHeaderThenRowsWithFullPrecision) {
  std::ostringstream out;
  CsvWriter csv(out, {"name", "time_s", "workers", "iteration_s"});
  csv.cell("x").cell(0.1 + 0.2).cell(96).cell(std::optional<double>{}).end_row();
  EXPECT_EQ(out.str(), "name,time_s,workers,iteration_s\nx,0.30000000000000004,96,\n");
}

TEST(CsvWriter, NonFiniteNumbersAreNamed) {
  std::ostringstream out;
  CsvWriter csv(out, {"a", "b"});
  csv.cell(std::numeric_limits<double>::infinity()).cell(std::optional<double>{1.5}).end_row();
  EXPECT_EQ(out.str(), "a,b\ninf,1.5\n");
}

TEST(CsvWriter, ARowOfTheWrongLengthIsABug) {
  std::ostringstream out;
  CsvWriter csv(out, {"a", "b"});
  csv.cell(1);
  EXPECT_THROW(csv.end_row(), BugError);
  csv.cell(2);
  EXPECT_THROW(csv.cell(3), BugError);
}

}  // namespace
}  // namespace gradwire
