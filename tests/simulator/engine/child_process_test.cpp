#include "simulator/engine/simgrid/child_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <stdexcept>

#include "base/errors.hpp"
#include "tests/support/thrown.hpp"

namespace gradwire {
namespace {

using testing::HasSubstr;

template <class Work>
auto running(Work work) {
  return [work] { (void)ChildProcess(work).finish(); };
}

TEST(ChildProcess, ReturnsTheStringOfItsWork) {
  EXPECT_EQ(ChildProcess([] { return std::string("a\0b", 3); }).finish(), std::string("a\0b", 3));
  EXPECT_EQ(ChildProcess([] { return std::string(); }).finish(), "");
}

TEST(ChildProcess, PassesOnEveryKindOfErrorWithItsText) {
  EXPECT_EQ(
      test::thrown_by<InputError>(running([]() -> std::string { throw InputError("field: bad"); })),
      "field: bad");
  EXPECT_EQ(test::thrown_by<IncompleteError>(
                running([]() -> std::string { throw IncompleteError("half"); })),
            "half");
  EXPECT_EQ(test::thrown_by<EnvironmentError>(
                running([]() -> std::string { throw EnvironmentError("disk"); })),
            "disk");
  EXPECT_EQ(
      test::thrown_by<BugError>(running([]() -> std::string { throw std::length_error("other"); })),
      "other");
}

TEST(ChildProcess, TakesWhatIsNoStandardExceptionForABug) {
  EXPECT_THROW(running([]() -> std::string { throw 42; })(), BugError);
}

TEST(ChildProcess, ThatIsKilledOrAbortsIsIncompleteAndNamesTheSignal) {
  EXPECT_THAT(test::thrown_by<IncompleteError>(running([]() -> std::string {
                raise(SIGKILL);
                return "never";
              })),
              HasSubstr("signal 9"));
  EXPECT_THAT(test::thrown_by<IncompleteError>(running([]() -> std::string {
                signal(SIGABRT, SIG_DFL);
                raise(SIGABRT);
                return "never";
              })),
              HasSubstr("signal 6"));
}

TEST(ChildProcess, ThatLeavesWithoutAnAnswerIsIncomplete) {
  EXPECT_THAT(test::thrown_by<IncompleteError>(running([]() -> std::string { _exit(0); })),
              HasSubstr("without an answer"));
}

TEST(ChildProcess, ThatHangsIsStoppedAtItsTimeoutAndIncomplete) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THAT(test::thrown_by<IncompleteError>([] {
                ChildProcess child([]() -> std::string {
                  while (true) pause();
                });
                (void)child.finish(1);
              }),
              HasSubstr("within 1 s"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

TEST(ChildProcess, SendsMoreThanAPipeHolds) {
  std::string large(5 * 1024 * 1024, 'x');
  large[4'000'000] = 'y';
  EXPECT_EQ(ChildProcess([&] { return large; }).finish(), large);
}

TEST(ChildProcess, RunsBesideOthersWhichMayBeFinishedInAnyOrder) {
  ChildProcess first([] { return std::string(200'000, '1'); });
  ChildProcess second([] { return std::string(200'000, '2'); });
  ChildProcess moved = std::move(first);
  EXPECT_EQ(second.finish(), std::string(200'000, '2'));
  EXPECT_EQ(moved.finish(), std::string(200'000, '1'));
}

TEST(ChildProcess, DoesNotPrintAgainWhatTheParentHadInItsBuffers) {
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::tmpfile(), std::fclose);
  ASSERT_NE(file, nullptr);
  std::fputs("once", file.get());  // buffered, not written yet
  ChildProcess child([] {
    std::fflush(nullptr);
    return std::string();
  });
  child.finish();
  std::fflush(file.get());
  EXPECT_EQ(std::ftell(file.get()), 4);
  std::fseek(file.get(), 0, SEEK_END);
  EXPECT_EQ(std::ftell(file.get()), 4);
}

TEST(ChildProcess, IsKilledWhenNobodyWaitsForItAnyMore) {
  const auto start = std::chrono::steady_clock::now();
  {
    const ChildProcess child([]() -> std::string {
      while (true) pause();
    });
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

}  // namespace
}  // namespace gradwire
