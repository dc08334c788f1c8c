#include "traces/importers/byte_source.hpp"

#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/traces/importers/kineto_text.hpp"

namespace gradwire {
namespace {

using test::gzip;
using test::TemporaryFolder;

std::string read_all(ByteSource& source, std::size_t piece) {
  std::string text;
  std::string buffer(piece, '\0');
  while (const std::size_t got = source.read(buffer.data(), piece)) text.append(buffer, 0, got);
  return text;
}

/// Text that deflate cannot shrink to nothing, so that cuts fall inside the data.
std::string varied_text() {
  std::string text;
  std::uint32_t state = 1;
  for (int i = 0; i < 400000; ++i) {
    state = state * 1664525u + 1013904223u;  // Numerical Recipes' linear congruential generator
    text.push_back(static_cast<char>('a' + (state >> 28)));
  }
  return text;
}

TEST(ByteSource, GivesAPlainFileUnchanged) {
  const TemporaryFolder folder;
  const std::string text = varied_text();
  ByteSource source(folder.write("a.json", text));
  EXPECT_EQ(read_all(source, 1000), text);
  EXPECT_FALSE(source.is_gzip());
  EXPECT_FALSE(source.damage());
}

TEST(ByteSource, UnzipsByMagicWhateverTheName) {
  const TemporaryFolder folder;
  const std::string text = varied_text();
  ByteSource source(folder.write("a.json", gzip(text)));
  EXPECT_EQ(read_all(source, 70000), text);
  EXPECT_TRUE(source.is_gzip());
  EXPECT_FALSE(source.damage());
}

TEST(ByteSource, GivesAPlainFileNamedGzUnchanged) {
  const TemporaryFolder folder;
  ByteSource source(folder.write("a.json.gz", "[1]"));
  EXPECT_EQ(read_all(source, 10), "[1]");
}

TEST(ByteSource, JoinsTheMembersOfAGzipFile) {
  const TemporaryFolder folder;
  ByteSource source(folder.write("a.gz", gzip("first ") + gzip("") + gzip("second")));
  EXPECT_EQ(read_all(source, 4), "first second");
  EXPECT_FALSE(source.damage());
}

TEST(ByteSource, IgnoresZeroPaddingAfterTheLastMember) {
  const TemporaryFolder folder;
  ByteSource source(folder.write("a.gz", gzip("text") + std::string(512, '\0')));
  EXPECT_EQ(read_all(source, 100), "text");
  EXPECT_FALSE(source.damage());
}

TEST(ByteSource, SaysThatOtherBytesAfterTheLastMemberWereIgnored) {
  const TemporaryFolder folder;
  ByteSource source(folder.write("a.gz", gzip("text") + "junk"));
  EXPECT_EQ(read_all(source, 100), "text");
  ASSERT_TRUE(source.damage());
  EXPECT_FALSE(source.damage()->loses_data);
}

TEST(ByteSource, GivesWhatATruncatedGzipFileHoldsAndSaysWhereItEnds) {
  const TemporaryFolder folder;
  const std::string text = varied_text();
  const std::string zipped = gzip(text);
  ByteSource source(folder.write("a.gz", zipped.substr(0, zipped.size() / 2)));
  const std::string got = read_all(source, 5000);
  EXPECT_GT(got.size(), text.size() / 3);
  EXPECT_TRUE(text.starts_with(got));
  ASSERT_TRUE(source.damage());
  EXPECT_TRUE(source.damage()->loses_data);
  EXPECT_NE(source.damage()->text.find(std::to_string(zipped.size() / 2)), std::string::npos);
}

TEST(ByteSource, NoticesAGzipFileThatLacksOnlyItsChecksum) {
  const TemporaryFolder folder;
  const std::string zipped = gzip("text");
  ByteSource source(folder.write("a.gz", zipped.substr(0, zipped.size() - 5)));
  EXPECT_EQ(read_all(source, 100), "text");
  ASSERT_TRUE(source.damage());
  EXPECT_TRUE(source.damage()->loses_data);
}

TEST(ByteSource, NoticesDamageInsideAGzipFile) {
  const TemporaryFolder folder;
  std::string zipped = gzip(varied_text());
  for (std::size_t i = 0; i < 64; ++i) zipped[zipped.size() / 2 + i] = '\x55';
  ByteSource source(folder.write("a.gz", zipped));
  read_all(source, 5000);
  ASSERT_TRUE(source.damage());
  EXPECT_TRUE(source.damage()->loses_data);
}

TEST(ByteSource, RefusesAMissingFileAndADirectory) {
  const TemporaryFolder folder;
  EXPECT_THROW(ByteSource(folder / "none.json"), InputError);
  EXPECT_THROW(ByteSource(folder.path()), InputError);
}

}  // namespace
}  // namespace gradwire
