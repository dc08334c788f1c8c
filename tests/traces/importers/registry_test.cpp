#include "traces/importers/registry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "tests/support/sample_trace.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/thrown.hpp"
#include "tests/traces/importers/kineto_text.hpp"
#include "traces/model/trace_codec.hpp"

namespace gradwire {
namespace {

using test::input_error_of;
using test::refusal_of;
using test::TemporaryFolder;
using testing::AllOf;
using testing::HasSubstr;

TEST(ImportTrace, ReadsOurOwnFormatByItsContent) {
  const TemporaryFolder folder;
  const Trace trace = test::sample_trace();
  const auto path = folder.write("any.name", encode_trace(trace));
  const Imported imported = import_trace(path, {});
  EXPECT_EQ(imported.trace, trace);
  EXPECT_EQ(imported.report.format, "gwt");
}

TEST(ImportTrace, CountsTheLossOfACutFileOfOursAndStrictRefusesIt) {
  const TemporaryFolder folder;
  std::string bytes = encode_trace(test::sample_trace());
  bytes.resize(bytes.size() - 3);
  const auto path = folder.write("t.gwt", bytes);
  EXPECT_TRUE(import_trace(path, {}).report.lost_data());
  EXPECT_THAT(input_error_of([&] { import_trace(path, ImportOptions{true}); }),
              HasSubstr("--strict"));
}

TEST(ImportTrace, RefusesAMissingFileAndADirectoryByName) {
  const TemporaryFolder folder;
  EXPECT_THAT(input_error_of([&] { import_trace(folder / "none.json", {}); }),
              HasSubstr("none.json"));
  EXPECT_THAT(input_error_of([&] { import_trace(folder.path(), {}); }), HasSubstr("directory"));
}

TEST(ImportTrace, RefusesAnEmptyFileNamingWhatIsAccepted) {
  EXPECT_THAT(refusal_of(""), AllOf(HasSubstr("trace.json: is empty"), HasSubstr("Kineto")));
  EXPECT_THAT(refusal_of(test::gzip("")), HasSubstr("is empty"));
  EXPECT_THAT(refusal_of(" \n "), HasSubstr("white space"));
}

TEST(ImportTrace, RefusesWhatIsNoJsonShowingHowItBegins) {
  EXPECT_THAT(refusal_of("<html>no</html>"),
              AllOf(HasSubstr("`<html>no</html>`"), HasSubstr("byte 0"), HasSubstr(".gwt")));
  EXPECT_THAT(refusal_of(std::string("\x00\x01\x02", 3)), HasSubstr("..."));
}

TEST(ImportTrace, RefusesATarArchiveByName) {
  std::string tar(1024, '\0');
  tar.replace(0, 5, "rank0");
  tar.replace(257, 5, "ustar");
  EXPECT_THAT(refusal_of(test::gzip(tar)), HasSubstr("tar archive"));
}

TEST(ImportTrace, RefusesJsonOfAnotherTool) {
  EXPECT_THAT(refusal_of(R"({"nodes": [{"id": 1}, {"id": 2}], "version": 3})"),
              HasSubstr("traceEvents"));
  EXPECT_THAT(refusal_of(R"({"traceEvents": {"not": "a list"}})"), HasSubstr("traceEvents"));
  EXPECT_THAT(refusal_of("{}"), HasSubstr("traceEvents"));
}

TEST(ImportTrace, RefusesATraceWithoutKernelsAskingForCudaActivity) {
  EXPECT_THAT(refusal_of(R"({"traceEvents": []})"),
              HasSubstr("was CUDA activity enabled in the profiler?"));
  EXPECT_THAT(refusal_of("[1, 2, 3]"), HasSubstr("no GPU kernels"));
}

TEST(ImportTrace, NamesAProfilerWithoutKineto) {
  // As PyTorch 1.13 of Debian writes it.
  EXPECT_THAT(
      refusal_of(
          R"([{"name": "aten::zeros", "ph": "X", "ts": 41, "dur": 4, "tid": 1, "pid": "CPU functions", "args": {}},
 {"name": "aten::empty", "ph": "X", "ts": 42, "dur": 2, "tid": 1, "pid": "CPU functions", "args": {}}])"),
      AllOf(HasSubstr("CPU events only"), HasSubstr("no GPU kernels")));
}

}  // namespace
}  // namespace gradwire
