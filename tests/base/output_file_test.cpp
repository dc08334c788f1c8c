#include "base/output_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/input_file.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/thrown.hpp"

namespace gradwire {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(OutputFile, AppearsOnlyWithCommit) {
  const test::TemporaryFolder folder;
  const auto path = folder / "out.csv";
  OutputFile file(path);
  file.stream() << "a,b\n";
  file.stream().flush();
  EXPECT_FALSE(std::filesystem::exists(path));
  file.commit();
  EXPECT_EQ(read_whole_file(path), "a,b\n");
}

TEST(OutputFile, LeavesNothingBehindWithoutCommit) {
  const test::TemporaryFolder folder;
  {
    OutputFile file(folder / "out.csv");
    file.stream() << "half";
  }
  EXPECT_EQ(folder.entries(), 0U);
}

TEST(OutputFile, RemovesWhatKilledProcessesLeftOfTheSameFileAlone) {
  const test::TemporaryFolder folder;
  // Process numbers end at 2^22 on Linux; this one is nobody's. Ours is alive.
  const std::string ours = std::to_string(getpid());
  for (const std::string& name :
       {std::string{".out.csv.99999999.part"}, ".out.csv." + ours + ".part",
        std::string{".other.csv.99999999.part"}, std::string{".out.csv.x9.part"},
        std::string{".out.csv.part"}}) {
    folder.write(name, "half");
  }
  {
    OutputFile file(folder / "new.csv");
    EXPECT_TRUE(std::filesystem::exists(folder / ".out.csv.99999999.part"));
  }
  OutputFile file(folder / "out.csv");
  EXPECT_FALSE(std::filesystem::exists(folder / ".out.csv.99999999.part"));
  for (const std::string& name :
       {".out.csv." + ours + ".part", std::string{".other.csv.99999999.part"},
        std::string{".out.csv.x9.part"}, std::string{".out.csv.part"}}) {
    EXPECT_TRUE(std::filesystem::exists(folder / name)) << name;
  }
}

TEST(OutputFile, LeavesOneFileAfterCommit) {
  const test::TemporaryFolder folder;
  {
    OutputFile file(folder / "out.csv");
    file.commit();
  }
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(OutputFile, KeepsTheOldContentWhenTheWriteIsGivenUp) {
  const test::TemporaryFolder folder;
  const auto path = folder.write("out.csv", "old");
  {
    OutputFile file(path);
    file.stream() << "new";
  }
  EXPECT_EQ(read_whole_file(path), "old");
}

TEST(OutputFile, ReplacesTheOldContentWithCommit) {
  const test::TemporaryFolder folder;
  const auto path = folder.write("out.csv", "a longer old content");
  OutputFile file(path);
  file.stream() << "new";
  file.commit();
  EXPECT_EQ(read_whole_file(path), "new");
}

TEST(OutputFile, KeepsALinkAndWritesWhatItPointsTo) {
  const test::TemporaryFolder folder;
  const auto target = folder.write("target", "old");
  const auto link = folder / "link";
  std::filesystem::create_symlink(target, link);
  OutputFile file(link);
  file.stream() << "new";
  file.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(read_whole_file(target), "new");
}

TEST(OutputFile, LeavesADeviceADevice) {
  OutputFile file("/dev/null");
  file.stream() << "gone";
  file.commit();
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(OutputFile, SaysThatTheDiskIsFull) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "/dev/full is not here";
  OutputFile file("/dev/full");
  file.stream() << "more than fits";
  EXPECT_THAT(test::thrown_by<EnvironmentError>([&] { file.commit(); }),
              AllOf(HasSubstr("/dev/full"), HasSubstr("No space left")));
}

TEST(OutputFile, RefusesADirectory) {
  const test::TemporaryFolder folder;
  EXPECT_THAT(test::thrown_by<EnvironmentError>([&] { OutputFile file(folder.path()); }),
              AllOf(HasSubstr(folder.path().string()), HasSubstr("directory")));
}

TEST(OutputFile, RefusesAMissingFolderByName) {
  const test::TemporaryFolder folder;
  const auto path = folder / "missing" / "out.csv";
  EXPECT_THAT(test::thrown_by<EnvironmentError>([&] { OutputFile file(path); }),
              AllOf(HasSubstr(path.string()), HasSubstr("No such file")));
}

TEST(RefuseOverwriting, KnowsTheInputByAnotherName) {
  const test::TemporaryFolder folder;
  const auto input = folder.write("in.gwt", "trace");
  const auto link = folder / "link.gwt";
  std::filesystem::create_symlink(input, link);
  for (const auto& output : {input, link, folder / "." / "in.gwt"}) {
    EXPECT_THAT(test::thrown_by<InputError>([&] { refuse_overwriting(input, output); }),
                AllOf(HasSubstr(output.string()), HasSubstr("input")));
  }
}

TEST(RefuseOverwriting, LetsOtherFilesPass) {
  const test::TemporaryFolder folder;
  const auto input = folder.write("in.gwt", "trace");
  EXPECT_NO_THROW(refuse_overwriting(input, folder / "out.gwt"));
  EXPECT_NO_THROW(refuse_overwriting(input, folder.write("out.gwt", "trace")));
  EXPECT_NO_THROW(refuse_overwriting(folder / "absent", folder / "absent"));
  EXPECT_NO_THROW(refuse_overwriting("", input));
  EXPECT_NO_THROW(refuse_overwriting("/dev/null", "/dev/null"));
}

TEST(OutputDirectory, IsMadeWithItsParentsAndStaysWhenKept) {
  const test::TemporaryFolder folder;
  const auto path = folder / "a" / "b";
  {
    OutputDirectory directory(path);
    EXPECT_TRUE(std::filesystem::is_directory(path));
    directory.keep();
  }
  EXPECT_TRUE(std::filesystem::is_directory(path));
}

TEST(OutputDirectory, ThatNothingWasPutIntoGoesWithTheParentsItMade) {
  const test::TemporaryFolder folder;
  { const OutputDirectory directory(folder / "a" / "b" / ""); }
  EXPECT_EQ(folder.entries(), 0u);
}

TEST(OutputDirectory, StaysWhenItWasThereOrHoldsAFile) {
  const test::TemporaryFolder folder;
  { const OutputDirectory directory(folder.path()); }
  EXPECT_TRUE(std::filesystem::is_directory(folder.path()));
  {
    const OutputDirectory directory(folder / "a");
    std::ofstream(folder / "a" / "file") << "x";
  }
  EXPECT_TRUE(std::filesystem::exists(folder / "a" / "file"));
}

TEST(OutputDirectory, ThatIsAFileIsRefusedByName) {
  const test::TemporaryFolder folder;
  const auto path = folder.write("file", "x");
  for (const auto& bad : {path, path / "below"}) {
    EXPECT_THAT(test::thrown_by<EnvironmentError>([&] { const OutputDirectory directory(bad); }),
                HasSubstr(path.string()));
  }
}

}  // namespace
}  // namespace gradwire
