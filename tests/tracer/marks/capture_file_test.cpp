// The marks of a real program through the real library into a file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "tests/support/temporary_folder.hpp"
#include "tests/tracer/marks/capture_contents.hpp"
#include "tests/tracer/marks/run_program.hpp"

namespace gradwire::test {
namespace {

using schema::HostEvent;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

const std::string kProgram = GRADWIRE_MARKED_PROGRAM;
const std::string kTracer = GRADWIRE_TRACER_LIBRARY;

/// Kind and number of each mark.
std::vector<std::pair<std::uint64_t, std::uint64_t>> marks_of(
    const std::vector<HostEvent>& events) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> result;
  for (const HostEvent& event : events) {
    if (event.kind() == HostEvent::MARK) result.emplace_back(event.id(), event.value());
  }
  return result;
}

/// Name, then dtype and sizes as gradwire_tracer.h's gw_parameter was told them.
std::map<std::uint64_t, HostEvent> parameters_of(const std::vector<HostEvent>& events) {
  std::map<std::uint64_t, HostEvent> result;
  for (const HostEvent& event : events) {
    if (event.kind() == HostEvent::PARAMETER) result.emplace(event.id(), event);
  }
  return result;
}

std::string with_sizes(std::string dtype, const std::vector<std::int64_t>& sizes) {
  dtype += '\0';
  for (const std::int64_t size : sizes) {
    dtype.append(reinterpret_cast<const char*>(&size), sizeof size);
  }
  return dtype;
}

std::map<std::string, std::string> facts_of(const std::vector<HostEvent>& events) {
  std::map<std::string, std::string> result;
  for (const HostEvent& event : events) {
    if (event.kind() == HostEvent::FACT) result[event.text()] = event.payload();
  }
  return result;
}

TEST(CaptureFile, ASessionOfTheProgramHoldsItsMarksInOrder) {
  const TemporaryFolder folder;
  const ProgramEnd end = run_program({kProgram, "session", folder / "run", kTracer});
  EXPECT_EQ(end.status, 0) << end.output;
  EXPECT_THAT(end.output, HasSubstr("started 1"));
  const CaptureContents capture = read_only_capture(folder.path());
  EXPECT_TRUE(capture.closed);
  using Mark = std::pair<std::uint64_t, std::uint64_t>;
  ASSERT_FALSE(capture.events.empty());
  EXPECT_THAT(marks_of(capture.events_of(capture.events.front().thread())),
              ElementsAre(Mark(1, 0), Mark(8, 0), Mark(9, 0), Mark(3, 0), Mark(5, 1), Mark(5, 0),
                          Mark(4, 0), Mark(6, 0), Mark(7, 0), Mark(2, 0)));
  const auto parameters = parameters_of(capture.events);
  ASSERT_THAT(parameters, SizeIs(2));
  EXPECT_EQ(parameters.at(0).text(), "layer.weight");
  EXPECT_EQ(parameters.at(0).payload(), with_sizes("bfloat16", {3, 4}));
  EXPECT_EQ(parameters.at(1).text(), "layer.bias");
  EXPECT_EQ(parameters.at(1).payload(), with_sizes("float32", {4}));
  EXPECT_THAT(facts_of(capture.events),
              Contains(std::pair<const std::string, std::string>("batch_size", "32")));
  EXPECT_THAT(facts_of(capture.events),
              Contains(std::pair<const std::string, std::string>("marks", "C++")));
  EXPECT_EQ(capture.tally.dropped_events(), 0U);
}

TEST(CaptureFile, EachSessionHasAFileOfItsOwnWithAllNames) {
  const TemporaryFolder folder;
  const ProgramEnd end = run_program({kProgram, "two sessions", folder / "run", kTracer});
  EXPECT_EQ(end.status, 0) << end.output;
  const auto files = captures_in(folder.path());
  ASSERT_THAT(files, SizeIs(2));
  for (const auto& file : files) {
    const CaptureContents capture = read_capture(file);
    EXPECT_TRUE(capture.closed);
    EXPECT_THAT(marks_of(capture.events), SizeIs(10));
    std::vector<std::string> names;
    for (const auto& [number, parameter] : parameters_of(capture.events)) {
      names.push_back(parameter.text());
    }
    EXPECT_THAT(names, UnorderedElementsAre("layer.bias", "layer.weight"));
  }
}

TEST(CaptureFile, MarksUnderTheLaunchersEnvironmentNeedNoCodeOfTheProgram) {
  const TemporaryFolder folder;
  const ProgramEnd end = run_program(
      {kProgram, "train"},
      {"GRADWIRE_TRACER_LIB=" + kTracer, "GRADWIRE_CAPTURE=" + (folder / "run").string()});
  EXPECT_EQ(end.status, 0) << end.output;
  const CaptureContents capture = read_only_capture(folder.path());
  EXPECT_TRUE(capture.closed);
  EXPECT_THAT(marks_of(capture.events), SizeIs(2 * 10));
  EXPECT_THAT(parameters_of(capture.events), SizeIs(2));
}

TEST(CaptureFile, TheLaunchersSessionOutlivesTheProgramsOwn) {
  const TemporaryFolder folder;
  const ProgramEnd end = run_program(
      {kProgram, "two sessions", folder / "other", kTracer},
      {"GRADWIRE_TRACER_LIB=" + kTracer, "GRADWIRE_CAPTURE=" + (folder / "run").string()});
  EXPECT_EQ(end.status, 0) << end.output;
  EXPECT_THAT(marks_of(read_only_capture(folder.path()).events), SizeIs(2 * 10));
}

TEST(CaptureFile, WithoutASessionThereIsNoFileAndNoWord) {
  const TemporaryFolder folder;
  const ProgramEnd end = run_program({kProgram, "train"}, {"GRADWIRE_TRACER_LIB=" + kTracer});
  EXPECT_EQ(end.status, 0);
  EXPECT_EQ(end.output, "");
  EXPECT_THAT(captures_in(folder.path()), IsEmpty());
}

TEST(CaptureFile, AnOutputThatCannotBeWrittenLeavesTheProgramAlone) {
  const ProgramEnd end = run_program({kProgram, "session", "/nowhere/at/all/run", kTracer});
  EXPECT_EQ(end.status, 0);
  EXPECT_THAT(end.output, HasSubstr("gradwire: "));
  EXPECT_THAT(end.output, HasSubstr("started 0\nwhy_not the tracer could not start"));
}

TEST(CaptureFile, MarksOfTwoThreadsAreToldApart) {
  const TemporaryFolder folder;
  const ProgramEnd end = run_program({kProgram, "threads", folder / "run", kTracer});
  EXPECT_EQ(end.status, 0) << end.output;
  const CaptureContents capture = read_only_capture(folder.path());
  std::map<std::uint64_t, std::size_t> marks;
  for (const HostEvent& event : capture.events) {
    if (event.kind() == HostEvent::MARK) ++marks[event.thread()];
  }
  ASSERT_THAT(marks, SizeIs(2));
  for (const auto& [thread, count] : marks) {
    EXPECT_EQ(count, 50 * 10U);
    std::int64_t before = 0;
    for (const HostEvent& event : capture.events_of(thread)) {
      EXPECT_GE(event.time_ns(), before);
      before = event.time_ns();
    }
    const auto in_order = marks_of(capture.events_of(thread));
    EXPECT_EQ(in_order.front().first, 1U);
    EXPECT_EQ(in_order.back(), std::make_pair(std::uint64_t{2}, std::uint64_t{49}));
  }
}

}  // namespace
}  // namespace gradwire::test
