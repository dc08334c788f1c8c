#include "tracer/capture/capture_output.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace gradwire {
namespace {

TEST(CaptureOutput, ANameThatExistsGetsANumberBeforeItsEnding) {
  const test::TemporaryFolder folder;
  const std::string prefix = folder / "run";
  CaptureOutput first;
  CaptureOutput second;
  CaptureOutput third;
  ASSERT_TRUE(first.create(prefix.c_str(), "node", -1, 42));
  ASSERT_TRUE(second.create(prefix.c_str(), "node", -1, 42));
  ASSERT_TRUE(third.create(prefix.c_str(), "node", 0, 42));
  EXPECT_EQ(first.path(), prefix + ".node.norank.42.gwc");
  EXPECT_EQ(second.path(), prefix + ".node.norank.42.2.gwc");
  EXPECT_EQ(third.path(), prefix + ".node.0.42.gwc");
}

TEST(CaptureOutput, AFullDiskIsOneSentenceAndNothingIsWrittenAfterIt) {
  CaptureOutput output;
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(full, 0);
  output.adopt(full);
  ::testing::internal::CaptureStderr();
  output.begin();
  EXPECT_TRUE(output.failed());
  output.write_whole("more");
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, ::testing::HasSubstr("the disk is full"));
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1);
}

TEST(CaptureOutput, APrefixLongerThanAPathIsRefused) {
  CaptureOutput output;
  ::testing::internal::CaptureStderr();
  EXPECT_FALSE(output.create(std::string(5000, 'x').c_str(), "node", -1, 1));
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), ::testing::HasSubstr("too long"));
}

}  // namespace
}  // namespace gradwire
