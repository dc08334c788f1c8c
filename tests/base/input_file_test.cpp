#include "base/input_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"
#include "tests/support/thrown.hpp"

namespace gradwire {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(InputFile, IsReadByteByByte) {
  const test::TemporaryFolder folder;
  const std::string content{"a\0b\r\n\xff", 6};
  EXPECT_EQ(read_whole_file(folder.write("bytes", content)), content);
}

TEST(InputFile, ThatIsEmptyIsReadAsNothing) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(read_whole_file(folder.write("empty", "")), "");
}

TEST(InputFile, ThatIsMissingIsRefusedByNameAndReason) {
  const test::TemporaryFolder folder;
  const auto missing = folder / "missing.json";
  EXPECT_THAT(test::input_error_of([&] { open_input(missing); }),
              AllOf(HasSubstr(missing.string()), HasSubstr("No such file")));
}

TEST(InputFile, ThatIsADirectoryIsRefusedAsOne) {
  const test::TemporaryFolder folder;
  EXPECT_THAT(test::input_error_of([&] { read_whole_file(folder.path()); }),
              AllOf(HasSubstr(folder.path().string()), HasSubstr("directory")));
}

TEST(InputFile, BelowAFileIsRefused) {
  const test::TemporaryFolder folder;
  const auto below = folder.write("file", "x") / "below";
  EXPECT_THAT(test::input_error_of([&] { open_input(below); }), HasSubstr(below.string()));
}

}  // namespace
}  // namespace gradwire
