// examples/tracer/own_marks.cpp, as its first lines say that it is run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/temporary_folder.hpp"
#include "tests/tracer/marks/capture_contents.hpp"
#include "tests/tracer/marks/run_program.hpp"

namespace gradwire::test {
namespace {

using testing::HasSubstr;

const std::string kProgram = GRADWIRE_OWN_MARKS;
const std::string kTracer = GRADWIRE_TRACER_LIBRARY;

std::ptrdiff_t gradients_in(const CaptureContents& capture) {
  return std::count_if(capture.events.begin(), capture.events.end(),
                       [](const schema::HostEvent& event) {
                         return event.kind() == schema::HostEvent::MARK && event.id() == 5;
                       });
}

TEST(OwnMarksExample, LeavesTheSameMarksUnderTheLauncherAndByItself) {
  constexpr std::ptrdiff_t kGradients = 5 * 2;  // iterations, parameters
  EXPECT_EQ(gradients_in(capture_of(kTracer, {kProgram})), kGradients);
  const TemporaryFolder folder;
  const ProgramEnd end =
      run_program({kProgram, folder / "own"}, {"GRADWIRE_TRACER_LIB=" + kTracer});
  EXPECT_EQ(end.status, 0);
  EXPECT_EQ(end.output.find("not traced"), std::string::npos) << end.output;
  EXPECT_EQ(gradients_in(read_only_capture(folder.path())), kGradients);
}

TEST(OwnMarksExample, RunsWithoutTheTracerAndSaysSo) {
  const ProgramEnd end =
      run_program({kProgram}, {"GRADWIRE_TRACER_LIB=/nowhere/libgradwire_tracer.so"});
  EXPECT_EQ(end.status, 0);
  EXPECT_THAT(end.output, HasSubstr("not traced: the tracer library is not loaded: /nowhere/"));
}

}  // namespace
}  // namespace gradwire::test
