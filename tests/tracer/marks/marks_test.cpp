#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/temporary_folder.hpp"
#include "tests/tracer/marks/run_program.hpp"

namespace gradwire::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

const std::string kProgram = GRADWIRE_MARKED_PROGRAM;
const std::string kTracer = GRADWIRE_PRINTING_TRACER;

/// Kinds of gradwire_tracer.h: 1 and 2 iteration, 3 and 4 backward, 5 gradient, 6 and 7 optimiser,
/// 8 and 9 forward.
std::string iteration(const std::string& number, const std::string& bias_name,
                      const std::string& weight_name) {
  return "mark 1 " + number + "\nmark 8 0\nmark 9 0\nmark 3 0\n" + bias_name + "mark 5 1\n" +
         weight_name + "mark 5 0\nmark 4 0\nmark 6 0\nmark 7 0\nmark 2 " + number + "\n";
}

const std::string kBias = "parameter 1 layer.bias 4 float32\n";
const std::string kWeight = "parameter 0 layer.weight 3 4 bfloat16\n";

TEST(Marks, WithoutTheTracerTheProgramSaysNothingAndEndsAsEver) {
  const ProgramEnd end = run_program({kProgram, "train"});
  EXPECT_EQ(end.status, 0);
  EXPECT_EQ(end.output, "");
}

TEST(Marks, WithoutTheTracerAPairOfMarksTakesNanoseconds) {
  const ProgramEnd end = run_program({kProgram, "time"});
  // Measured 1-3 ns on the development machine; the bound only tells a call from a search.
  EXPECT_LT(std::stod(end.output), 50.0);
}

TEST(Marks, ReachTheLibraryInOrderAndParametersAreNamedOnce) {
  const ProgramEnd end =
      run_program({kProgram, "train"}, {"GRADWIRE_TRACER_LIB=" + kTracer, "PRINTING_TRACER_ON=1"});
  EXPECT_EQ(end.status, 0);
  EXPECT_EQ(end.output,
            "fact marks C++\n" + iteration("0", kBias, kWeight) + iteration("1", "", ""));
}

TEST(Marks, GradientsAreNotMarkedOutsideASession) {
  const ProgramEnd end = run_program({kProgram, "train"}, {"GRADWIRE_TRACER_LIB=" + kTracer});
  EXPECT_THAT(end.output, HasSubstr("mark 3 0\nmark 4 0\n"));
}

TEST(Marks, ALibraryThatCannotBeLoadedIsSaidOnceAndTheProgramGoesOn) {
  const ProgramEnd end =
      run_program({kProgram, "train"}, {"GRADWIRE_TRACER_LIB=/nowhere/libgradwire_tracer.so"});
  EXPECT_EQ(end.status, 0);
  EXPECT_THAT(end.output, StartsWith("gradwire: the program's marks are not recorded: /nowhere/"));
  EXPECT_EQ(std::count(end.output.begin(), end.output.end(), '\n'), 1);
}

TEST(CaptureSession, RecordsFromItsConstructorToItsStop) {
  const ProgramEnd end = run_program({kProgram, "session", "out/run", kTracer});
  EXPECT_EQ(end.status, 0);
  EXPECT_EQ(end.output,
            "fact marks C++\nstart out/run\nfact marks C++\nstarted 1\nwhy_not \nnvtx " + kTracer +
                "\nfact batch_size 32\n" + iteration("0", kBias, kWeight) + "stop\nstarted 0\n");
}

TEST(CaptureSession, ASecondSessionNamesTheParametersAgain) {
  const ProgramEnd end = run_program({kProgram, "two sessions", "out/run", kTracer});
  const std::size_t second = end.output.rfind("start out/run");
  ASSERT_NE(second, std::string::npos);
  EXPECT_GT(second, end.output.find("stop\n"));
  EXPECT_THAT(end.output.substr(second), HasSubstr("layer.bias"));
  EXPECT_THAT(end.output.substr(second), HasSubstr("layer.weight"));
}

TEST(CaptureSession, MarksBeforeItDoNotKeepTheLibraryAway) {
  const ProgramEnd end = run_program({kProgram, "marks first", "out/run", kTracer});
  EXPECT_THAT(end.output, StartsWith("fact marks C++\nstart out/run\n"));
}

TEST(CaptureSession, WithoutAnOutputTheEnvironmentSaysWhere) {
  const ProgramEnd end = run_program({kProgram, "session", "", kTracer});
  EXPECT_THAT(end.output, HasSubstr("start (null)\n"));
}

TEST(CaptureSession, ASessionOfTheLauncherIsJoinedAndGoesOn) {
  const ProgramEnd end = run_program({kProgram, "session", "out/run"},
                                     {"GRADWIRE_TRACER_LIB=" + kTracer, "PRINTING_TRACER_ON=1"});
  EXPECT_THAT(end.output, StartsWith("fact marks C++\nstarted 1\n"));
  EXPECT_THAT(end.output, EndsWith("mark 2 0\nstarted 0\n"));
}

TEST(CaptureSession, AToolForNvtxThatTheUserNamedStays) {
  const ProgramEnd end = run_program({kProgram, "session", "out/run", kTracer},
                                     {"NVTX_INJECTION64_PATH=/other/tool.so"});
  EXPECT_THAT(end.output, HasSubstr("\nnvtx /other/tool.so\n"));
}

TEST(CaptureSession, SaysWhyItDidNotStart) {
  const ProgramEnd refused = run_program({kProgram, "session", "refused", kTracer});
  EXPECT_EQ(refused.status, 0);
  EXPECT_THAT(refused.output, HasSubstr("started 0\nwhy_not the tracer could not start"));
  const ProgramEnd missing = run_program({kProgram, "session", "out/run", "/nowhere/tracer.so"});
  EXPECT_EQ(missing.status, 0);
  EXPECT_THAT(
      missing.output,
      StartsWith("started 0\nwhy_not the tracer library is not loaded: /nowhere/tracer.so"));
  const ProgramEnd other = run_program({kProgram, "session", "out/run", "libm.so.6"});
  EXPECT_THAT(other.output,
              StartsWith("started 0\nwhy_not not a tracer library of this version: libm.so.6"));
}

TEST(CaptureSession, FindsTheLibraryBesideTheExecutable) {
  const TemporaryFolder folder;
  std::filesystem::copy_file(kProgram, folder / "program");
  const ProgramEnd missing = run_program({folder / "program", "session", "out/run"});
  EXPECT_THAT(missing.output, HasSubstr((folder / "libgradwire_tracer.so").string()));
  EXPECT_THAT(missing.output, StartsWith("started 0"));
  std::filesystem::copy_file(kTracer, folder / "libgradwire_tracer.so");
  const ProgramEnd found = run_program({folder / "program", "session", "out/run"});
  EXPECT_THAT(found.output, HasSubstr("started 1"));
}

}  // namespace
}  // namespace gradwire::test
