#include "traces/importers/capture/capture_importer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/support/thrown.hpp"
#include "tests/traces/importers/capture/capture_file.hpp"
#include "traces/importers/registry.hpp"
#include "traces/model/trace_checks.hpp"

namespace gradwire {
namespace {

using test::CaptureFile;
using test::import_capture;
using test::training_capture;
using testing::ElementsAre;
using testing::HasSubstr;

std::string fact_of(const Trace& trace, const std::string& name) {
  for (const Fact& fact : trace.software) {
    if (fact.name == name) return fact.value;
  }
  return "(absent)";
}

std::vector<std::string> backward_names(const Trace& trace) {
  std::vector<std::string> names;
  for (const Kernel& kernel : trace.kernels) {
    if (kernel.in_backward) names.push_back(trace.names[kernel.name]);
  }
  return names;
}

TEST(CaptureImporter, ReadsTrainingAsThePyTorchHookMarksIt) {
  const Imported imported = import_capture(training_capture(3).bytes(), true);
  const Trace& trace = imported.trace;
  EXPECT_TRUE(find_trace_defects(trace).empty());
  EXPECT_EQ(imported.report.format, "gwc 1");
  EXPECT_EQ(imported.report.kernels_in, 21u);
  EXPECT_EQ(imported.report.kernels_linked, 21u);
  ASSERT_EQ(trace.iterations.size(), 3u);
  EXPECT_EQ(trace.iterations[2].number, 2);
  EXPECT_TRUE(trace.iterations[2].complete);
  EXPECT_FALSE(trace.iterations[2].inferred);
  // The zero is the mark of the first iteration, at 100 us.
  EXPECT_EQ(trace.base_time, Nanoseconds{test::kCaptureBase + 100'000});
  EXPECT_EQ(trace.iterations[1].start, Nanoseconds{1'000'000});
  EXPECT_EQ(trace.iterations[1].end, Nanoseconds{1'240'000});
  ASSERT_EQ(trace.backwards.size(), 3u);
  EXPECT_EQ(trace.backwards[0].start, Nanoseconds{100'000});
  EXPECT_EQ(trace.backwards[0].end, Nanoseconds{180'000});
  EXPECT_EQ(imported.report.iterations_found_by, "iteration marks (pytorch hook)");
  EXPECT_EQ(imported.report.backward_found_by,
            "launches between the backward marks, of the threads that make gradients ready");
  EXPECT_EQ(trace.batch_size, 32);
  EXPECT_EQ(trace.rank, 0);
  EXPECT_EQ(fact_of(trace, "pytorch"), "2.6.0");
  EXPECT_EQ(fact_of(trace, "marks"), "pytorch hook");
  ASSERT_EQ(trace.devices.size(), 1u);
  EXPECT_EQ(trace.devices[0].name, "NVIDIA H200");
}

TEST(CaptureImporter, AGradientIsReadyWithTheLastKernelThatItsThreadLaunchedBefore) {
  const Trace trace = import_capture(training_capture(1).bytes()).trace;
  ASSERT_EQ(trace.gradients.size(), 2u);
  // relu_backward starts 130 us into the iteration and takes 20; the mark comes while it runs.
  EXPECT_EQ(trace.gradients[0].parameter, "b");
  EXPECT_EQ(trace.gradients[0].ready, Nanoseconds{150'000});
  EXPECT_THAT(trace.gradients[0].shape, ElementsAre(10, 4));
  EXPECT_EQ(trace.gradients[0].elements, Elements{40});
  EXPECT_EQ(trace.gradients[0].dtype, DType::kFloat32);
  EXPECT_FALSE(trace.gradients[0].own_kernel);
  EXPECT_EQ(trace.gradients[1].parameter, "a");
  EXPECT_EQ(trace.gradients[1].ready, Nanoseconds{180'000});
}

TEST(CaptureImporter, NamesAreDemangledAndOthersKept) {
  const Trace trace = import_capture(training_capture(1).bytes()).trace;
  EXPECT_EQ(trace.names[trace.kernels[0].name], "conv(float*)");
  EXPECT_EQ(trace.names[trace.kernels[2].name], "loss");
}

TEST(CaptureImporter, TheBackwardPassIsWhatTheGradientsThreadLaunchedBetweenTheMarks) {
  CaptureFile file = training_capture(1);
  // Thread 3 copies the next batch while the backward pass runs.
  file.call(215, 3, 9).copy(220, 5, 9, 602112).launched("prefetch", 225, 5, 3);
  const Trace trace = import_capture(file.bytes()).trace;
  EXPECT_THAT(backward_names(trace),
              ElementsAre("loss_backward", "relu_backward", "conv_backward"));
}

TEST(CaptureImporter, WithoutGradientMarksAllThreadsMakeTheBackwardPass) {
  CaptureFile file;
  file.mark(1, 0, 100, 1).launched("forward", 110, 10, 1).mark(3, 0, 120, 1);
  file.launched("backward", 130, 10, 2).mark(4, 0, 140, 1).mark(2, 0, 150, 1);
  const Imported imported = import_capture(file.bytes());
  EXPECT_THAT(backward_names(imported.trace), ElementsAre("backward"));
  EXPECT_EQ(imported.report.backward_found_by,
            "launches between the backward marks, of any thread");
  EXPECT_EQ(imported.report.gradients_found_by, "nothing");
}

TEST(CaptureImporter, GradientMarksOfTheThreadThatRunsEverythingShowNoBackwardPass) {
  CaptureFile file;
  file.mark(1, 0, 100, 1).launched("forward", 110, 10, 1).launched("backward", 130, 10, 1);
  file.mark(5, 0, 140, 1).mark(2, 0, 150, 1);
  const Imported imported = import_capture(file.bytes());
  EXPECT_TRUE(backward_names(imported.trace).empty());
  EXPECT_EQ(test::defects_of(imported.report, "no-backward"), 1u);
  EXPECT_EQ(test::defects_of(imported.report, "parameter-unknown"), 1u);
}

TEST(CaptureImporter, LinksEveryKindOfLaunch) {
  CaptureFile file;
  unsigned correlation = 1;
  const std::pair<unsigned, bool> calls[] = {{211, false}, {505, false}, {430, false},
                                             {307, true},  {652, true},  {311, false}};
  for (const auto& [callback, driver] : calls) {
    const double at = 10.0 * correlation;
    file.call(at, 1, correlation, callback, driver).kernel("k", at + 5, 1, correlation);
    ++correlation;
  }
  const Imported imported = import_capture(file.bytes());
  EXPECT_THAT(
      imported.report.linked_by,
      ElementsAre(testing::Pair("__cudaLaunchKernel", 1), testing::Pair("cuLaunchKernel", 1),
                  testing::Pair("cuLaunchKernelEx", 1), testing::Pair("cudaGraphLaunch", 1),
                  testing::Pair("cudaLaunchKernel", 1), testing::Pair("cudaLaunchKernelExC", 1)));
}

TEST(CaptureImporter, OneGraphLaunchOwnsItsNodesAndReplaysShareThem) {
  CaptureFile file;
  for (unsigned replay = 0; replay < 2; ++replay) {
    const double at = 100.0 + 100 * replay;
    file.call(at, 1, 50 + replay, 311);
    file.kernel("a", at + 10, 5, 50 + replay).node(3, 0x300000001);
    file.kernel("b", at + 20, 5, 50 + replay).node(3, 0x300000002);
  }
  file.call(300, 1, 60).kernel("c", 310, 5, 60);
  const Imported imported = import_capture(file.bytes());
  const auto& kernels = imported.trace.kernels;
  ASSERT_EQ(kernels.size(), 5u);
  EXPECT_EQ(imported.report.linked_by.at("cudaGraphLaunch"), 4u);
  EXPECT_EQ(kernels[0].launch, kernels[1].launch);
  EXPECT_EQ(kernels[0].graph_node, 0x300000001u);
  EXPECT_EQ(kernels[1].graph_node, 0x300000002u);
  EXPECT_EQ(kernels[2].graph_node, kernels[0].graph_node);
  EXPECT_EQ(kernels[3].graph_node, kernels[1].graph_node);
  EXPECT_EQ(kernels[4].graph_node, std::nullopt);
}

TEST(CaptureImporter, CutsExactlyToTheIterationsAskedFor) {
  CaptureFile file = training_capture(5);
  file.window(1, 2);
  // Launched in iteration 2 (ends at 2340 us), run behind it; and launched behind it.
  file.call(2330, 1, 1).kernel("late", 2500, 10, 1).call(2345, 1, 2).kernel("next", 2520, 10, 2);
  const Imported imported = import_capture(file.bytes());
  const Trace& trace = imported.trace;
  ASSERT_EQ(trace.iterations.size(), 2u);
  EXPECT_EQ(trace.iterations[0].number, 1);
  EXPECT_EQ(trace.iterations[1].number, 2);
  ASSERT_EQ(trace.kernels.size(), 15u);
  EXPECT_EQ(trace.names[trace.kernels.back().name], "late");
  EXPECT_EQ(trace.gradients.size(), 4u);
  EXPECT_EQ(test::defects_of(imported.report, "outside-window"), 3u * 7 + 1);
}

TEST(CaptureImporter, AWindowWithoutMarksIsSaid) {
  CaptureFile file = training_capture(5, false);
  file.window(1, 2);
  const Imported imported = import_capture(file.bytes());
  EXPECT_EQ(imported.trace.kernels.size(), 35u);
  EXPECT_EQ(test::defects_of(imported.report, "window-without-marks"), 1u);
}

TEST(CaptureImporter, AnIterationThatTheEndCutIsIncomplete) {
  CaptureFile file = training_capture(2);
  file.mark(1, 2, 2100, 1).launched("_Z4convPf", 2110, 20, 1);
  const Imported imported = import_capture(file.bytes(false));
  ASSERT_EQ(imported.trace.iterations.size(), 3u);
  EXPECT_TRUE(imported.trace.iterations[1].complete);
  EXPECT_FALSE(imported.trace.iterations[2].complete);
  EXPECT_EQ(test::defects_of(imported.report, "capture-not-closed"), 1u);
  EXPECT_THAT(test::input_error_of([&] { import_capture(file.bytes(false), true); }),
              HasSubstr("by a signal or _exit"));
}

TEST(CaptureImporter, AnIterationThatIsNotEndedEndsWhereTheNextBegins) {
  CaptureFile file;
  for (unsigned i = 0; i < 3; ++i)
    file.mark(1, i, 100.0 * i, 1).launched("k", 100.0 * i + 50, 9, 1);
  const Imported imported = import_capture(file.bytes());
  ASSERT_EQ(imported.trace.iterations.size(), 3u);
  EXPECT_EQ(imported.trace.iterations[0].end, Nanoseconds{99'999});
  EXPECT_TRUE(imported.trace.iterations[1].complete);
  EXPECT_FALSE(imported.trace.iterations[2].complete);
}

TEST(CaptureImporter, IterationsWhoseNumbersDoNotRiseAreCounted) {
  CaptureFile file;
  for (unsigned i = 0; i < 3; ++i) {
    file.mark(1, 0, 100.0 * i, 1).launched("k", 100.0 * i + 50, 9, 1).mark(2, 0, 100.0 * i + 80, 1);
  }
  const Imported imported = import_capture(file.bytes());
  ASSERT_EQ(imported.trace.iterations.size(), 3u);
  EXPECT_EQ(imported.trace.iterations[2].number, 2);
  EXPECT_EQ(test::defects_of(imported.report, "iteration-renumbered"), 1u);
}

TEST(CaptureImporter, WhatTheProfilerLostIsADefect) {
  CaptureFile file = training_capture(2);
  file.tally(12, 3, 1).kernel("lost", 1, 1, 1).untimed();
  const Imported imported = import_capture(file.bytes());
  EXPECT_EQ(test::defects_of(imported.report, "records-dropped"), 12u);
  EXPECT_EQ(test::defects_of(imported.report, "records-unknown"), 3u);
  EXPECT_EQ(test::defects_of(imported.report, "buffers-unreturned"), 1u);
  EXPECT_EQ(test::defects_of(imported.report, "device-record-without-time"), 1u);
  EXPECT_EQ(imported.report.kernels_in, imported.report.kernels_out + 1);
  EXPECT_THAT(test::input_error_of([&] {
                CaptureFile other = training_capture(2);
                import_capture(other.tally(0, 0, 2).bytes(), true);
              }),
              HasSubstr("another profiler in the process"));
  CaptureFile unknown = training_capture(2);
  EXPECT_NO_THROW(import_capture(unknown.tally(0, 5, 0).bytes(), true));
}

TEST(CaptureImporter, AClockThatWasSetIsSaidAndASlewIsNot) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  CaptureFile slewed = training_capture(1);
  slewed.clocks(test::kCaptureBase, kSecond).end_chunk();
  slewed.clocks(test::kCaptureBase + 2 * kSecond + 900'000, 3 * kSecond);
  EXPECT_EQ(test::defects_of(import_capture(slewed.bytes()).report, "clock-step"), 0u);
  CaptureFile set = training_capture(1);
  set.clocks(test::kCaptureBase, kSecond).end_chunk();
  set.clocks(test::kCaptureBase + kSecond, 3 * kSecond);
  const Imported imported = import_capture(set.bytes());
  ASSERT_EQ(test::defects_of(imported.report, "clock-step"), 1u);
  EXPECT_THAT(imported.report.defects.front().example, HasSubstr("set back by 1"));
}

TEST(CaptureImporter, TheProfilersOwnCostIsAFact) {
  CaptureFile file = training_capture(1);
  file.overhead(10, 300).overhead(400, 200);
  EXPECT_EQ(fact_of(import_capture(file.bytes()).trace, "profiler overhead"), "500 us in 2 spans");
}

TEST(CaptureImporter, SaysWhyThereAreNoKernels) {
  CaptureFile silent;
  silent.mark(1, 0, 100, 1).header_fact("kernels", "no CUDA driver is installed");
  EXPECT_THAT(test::input_error_of([&] { import_capture(silent.bytes()); }),
              HasSubstr("run.gwc: no GPU kernels were recorded: no CUDA driver is installed"));
  CaptureFile unasked;
  unasked.mark(1, 0, 100, 1).header_fact("kernels", "not asked for");
  EXPECT_THAT(test::input_error_of([&] { import_capture(unasked.bytes()); }),
              HasSubstr("no GPU kernels were recorded: not asked for"));
  CaptureFile late;
  late.mark(1, 0, 100, 1).fact("kernels", "another profiler holds the GPU");
  EXPECT_THAT(test::input_error_of([&] { import_capture(late.bytes()); }),
              HasSubstr("recorded: another profiler holds the GPU"));
  CaptureFile plain;
  plain.mark(1, 0, 100, 1).copy(10, 5, 1, 100);
  EXPECT_THAT(test::input_error_of([&] { import_capture(plain.bytes()); }),
              HasSubstr("no GPU kernels were recorded (host calls: 0, marks and ranges: 1)"));
}

TEST(CaptureImporter, FindsIterationsByRepetitionWhereNothingIsMarked) {
  const Imported marked = import_capture(training_capture(5).bytes());
  const Imported imported = import_capture(training_capture(5, false).bytes());
  EXPECT_THAT(imported.report.iterations_found_by, HasSubstr("period of the kernel sequence (7"));
  EXPECT_EQ(fact_of(imported.trace, "marks"), "period of the kernel sequence");
  ASSERT_EQ(imported.trace.iterations.size(), marked.trace.iterations.size());
  EXPECT_TRUE(imported.trace.iterations[0].inferred);
  EXPECT_EQ(test::defects_of(imported.report, "no-backward"), 1u);
  EXPECT_EQ(imported.report.gradients_found_by, "nothing");
}

TEST(CaptureImporter, AnyFileCutAnywhereIsReadOrRefusedInWords) {
  const std::string bytes = training_capture(2).bytes();
  std::size_t read = 0;
  for (std::size_t size = 0; size < bytes.size(); size += 7) {
    try {
      const Imported imported = import_capture(bytes.substr(0, size));
      EXPECT_TRUE(imported.report.lost_data()) << size;
      ++read;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr("run.gwc")) << size;
    }
  }
  EXPECT_GT(read, 0u);
}

/// A committed file, so that captures of today stay readable. With GRADWIRE_UPDATE_GOLDEN set it is
/// written anew.
TEST(CaptureImporter, ReadsTheCommittedCapture) {
  const std::filesystem::path path =
      std::filesystem::path(GRADWIRE_SOURCE_DIR) / "tests/golden/two-iterations.gwc";
  const std::string bytes = training_capture(2).bytes();
  if (std::getenv("GRADWIRE_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << bytes;
  }
  Trace read = import_trace(path, ImportOptions{true}).trace;
  EXPECT_EQ(read.provenance.source, "two-iterations.gwc");
  read.provenance.source = "run.gwc";
  EXPECT_EQ(read, import_capture(bytes).trace);
}

TEST(CaptureImporter, ImpossibleTimesAreDroppedAndCounted) {
  CaptureFile file = training_capture(2);
  file.kernel("early", -2e15, 1, 1).kernel("negative", 10, -5, 2);
  const Imported imported = import_capture(file.bytes());
  EXPECT_EQ(test::defects_of(imported.report, "time-impossible"), 2u);
  EXPECT_EQ(imported.report.kernels_out, 14u);
}

}  // namespace
}  // namespace gradwire
