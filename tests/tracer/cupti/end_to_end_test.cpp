// The real libgradwire_tracer.so in a process whose libcuda and libcupti are ours. An iteration of
// fake_training with kernels=10 has 10 kernels, a graph of 3, a copy and a fill: 15 operations; and
// of the calls that are kept 10 launches, a copy, a fill, a graph and a wait: 14.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <set>

#include "tests/tracer/cupti/activity_buffer.hpp"
#include "tests/tracer/cupti/traced_run.hpp"

namespace gradwire::test {
namespace {

constexpr std::size_t kOperations = 15;
constexpr std::size_t kCalls = 14;

std::size_t count_lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

void expect_whole(const CaptureContents& capture, std::size_t iterations) {
  EXPECT_EQ(capture.operations.size(), iterations * kOperations);
  EXPECT_EQ(capture.calls.size(), iterations * kCalls);
  EXPECT_EQ(capture.spans.size(), iterations);
  EXPECT_EQ(capture.tally.dropped_records(), 0U);
  EXPECT_EQ(capture.tally.unknown_records(), 0U);
  EXPECT_EQ(capture.tally.lost_buffers(), 0U);
  EXPECT_EQ(capture.tally.unreturned_buffers(), 0U);
}

TEST(TracedProcess, EveryKernelHasItsNameItsLaunchAndItsThread) {
  const TracedRun run({"iterations=3", "kernels=10"});
  EXPECT_EQ(run.end.status, 0);
  EXPECT_EQ(run.end.output, "");
  const CaptureContents capture = run.capture();
  EXPECT_EQ(capture.fact("cupti library"), std::string(GRADWIRE_FAKES_FOLDER) + "/libcupti.so.13");
  EXPECT_EQ(capture.fact("cupti"), std::to_string(CUPTI_API_VERSION));
  EXPECT_EQ(capture.fact("driver"), "13000");
  EXPECT_EQ(capture.fact("calls recorded"), "one by one");
  EXPECT_TRUE(capture.closed);
  expect_whole(capture, 3);

  std::map<std::uint32_t, schema::HostCall> calls;
  for (const auto& call : capture.calls) {
    EXPECT_TRUE(calls.emplace(call.correlation(), call).second);
  }
  std::map<std::string, int> kernels;
  std::map<std::uint32_t, int> launches;  // by callback
  std::set<std::uint64_t> nodes;
  for (const auto& operation : capture.operations) {
    ASSERT_EQ(calls.count(operation.correlation()), 1U);
    const auto& call = calls[operation.correlation()];
    EXPECT_EQ(call.thread(), static_cast<std::uint64_t>(capture.header.process()));
    EXPECT_FALSE(operation.untimed());
    if (operation.kind() != schema::DeviceOperation::KERNEL) continue;
    ++launches[call.callback()];
    const std::string name = capture.names.at(operation.name());
    ++kernels[name];
    EXPECT_EQ(call.driver(), name == "_Z8backwardPKfPf");
    if (operation.graph() != 0) nodes.insert(operation.graph_node());
  }
  EXPECT_EQ(kernels,
            (std::map<std::string, int>{
                {"_Z7forwardPKfPf", 15}, {"_Z8backwardPKfPf", 15}, {"_Z10graph_nodev", 9}}));
  // cudaLaunchKernel 3 of 5, `<<<>>>` of nvcc 13 2 of 5, cuLaunchKernelEx, cudaGraphLaunch
  EXPECT_EQ(launches, (std::map<std::uint32_t, int>{{211, 9}, {505, 6}, {652, 15}, {311, 9}}));
  EXPECT_EQ(nodes.size(), 3U);

  ASSERT_EQ(capture.devices.size(), 1U);
  EXPECT_EQ(capture.devices[0].name(), "Fake GPU 0");
  EXPECT_EQ(capture.devices[0].multiprocessors(), 132U);
  EXPECT_EQ(capture.devices[0].compute_major(), 9U);
}

TEST(TracedProcess, Cupti12IsReadWithoutTheFunctionsThatItLacks) {
  const TracedRun run(
      {"iterations=2", "kernels=10"},
      {std::string("GRADWIRE_CUPTI_LIB=") + GRADWIRE_FAKES_12_FOLDER + "/libcupti.so.12"});
  const CaptureContents capture = run.capture();
  EXPECT_EQ(capture.fact("cupti"), "22");
  EXPECT_EQ(capture.fact("calls recorded"), "all");
  EXPECT_EQ(capture.fact("cupti functions missing"),
            "cuptiSubscribe_v2 cuptiActivityEnableRuntimeApi cuptiActivityEnableDriverApi");
  expect_whole(capture, 2);
}

TEST(TracedProcess, ManyBuffersComeThrough) {
  // 40 iterations of 500 kernels: 505 operations each, 216 bytes a kernel, some 5 MB in buffers
  // of 1.
  const TracedRun run({"iterations=40", "kernels=500"});
  const CaptureContents capture = run.capture();
  EXPECT_EQ(capture.operations.size(), 40U * 505U);
  EXPECT_EQ(capture.calls.size(), 40U * 504U);
  EXPECT_EQ(capture.tally.dropped_records() + capture.tally.lost_buffers(), 0U);
}

TEST(TracedProcess, WhatIsDeliveredLateOrOutOfOrderIsAllThere) {
  for (const char* oddity : {"late", "reorder", "late,reorder"}) {
    const TracedRun run({"iterations=3", "kernels=10"},
                        {std::string("GRADWIRE_FAKE_CUPTI=") + oddity});
    SCOPED_TRACE(oddity);
    expect_whole(run.capture(), 3);
    for (const std::string& name : run.capture().names)
      EXPECT_EQ(name.find('?'), std::string::npos);
  }
}

TEST(TracedProcess, DroppedRecordsAreCounted) {
  const CaptureContents capture =
      TracedRun({"iterations=1", "kernels=10"}, {"GRADWIRE_FAKE_CUPTI=drop=4"}).capture();
  EXPECT_EQ(capture.tally.dropped_records(), 4U);
  EXPECT_EQ(capture.operations.size() + capture.calls.size() + capture.spans.size(),
            kOperations + kCalls + 1 - 4);
}

TEST(TracedProcess, OperationsWithoutATimeAreKept) {
  const CaptureContents capture =
      TracedRun({"iterations=1", "kernels=10"}, {"GRADWIRE_FAKE_CUPTI=untimed"}).capture();
  ASSERT_EQ(capture.operations.size(), kOperations);
  for (const auto& operation : capture.operations) EXPECT_TRUE(operation.untimed());
}

TEST(TracedProcess, BuffersThatAnotherProfilerTookAreCounted) {
  const CaptureContents capture =
      TracedRun({"iterations=4", "kernels=10"}, {"GRADWIRE_FAKE_CUPTI=takeover=40"}).capture();
  EXPECT_LT(capture.operations.size(), 4 * kOperations);
  EXPECT_EQ(capture.tally.unreturned_buffers(), 1U);
}

TEST(TracedProcess, RecordedBuffersAreReplayed) {
  const TemporaryFolder folder;
  const std::string names("_Z6replayv\0_Z5otherv\0", 21);
  ActivityBuffer buffer;
  buffer.append(kernel_record(reinterpret_cast<const char*>(std::uintptr_t{1}), 1000, 900001));
  buffer.append(kernel_record(reinterpret_cast<const char*>(std::uintptr_t{12}), 5000, 900002));
  buffer.append(kernel_record(nullptr, 9000, 900003));
  buffer.append(
      record_of<CUpti_ActivityExternalCorrelation>(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION));
  const std::filesystem::path path = folder / "buffer";
  {
    std::ofstream file(path, std::ios::binary);
    const std::uint64_t size = buffer.size();
    file.write(reinterpret_cast<const char*>(&size), sizeof size);
    file.write(reinterpret_cast<const char*>(buffer.full().bytes), std::streamsize(size));
    file << names;
  }
  const CaptureContents capture =
      TracedRun({"iterations=1", "kernels=10"}, {"GRADWIRE_FAKE_CUPTI=replay=" + path.string()})
          .capture();
  EXPECT_EQ(capture.operations.size(), kOperations + 3);
  EXPECT_EQ(capture.tally.unknown_records(), 1U);
  std::map<std::uint32_t, std::string> by_correlation;
  for (const auto& operation : capture.operations) {
    if (operation.correlation() > 900000) {
      by_correlation[operation.correlation()] = capture.names.at(operation.name());
    }
  }
  EXPECT_EQ(by_correlation[900001], "_Z6replayv");
  EXPECT_EQ(by_correlation[900002], "_Z5otherv");
}

struct AbruptEnd {
  const char* argument;
  int status;
};

TEST(TracedProcess, HoweverItEndsItsStatusIsItsOwnAndWhatWasRecordedIsThere) {
  for (const AbruptEnd& each :
       {AbruptEnd{"end=_exit", 7}, AbruptEnd{"end=kill", 137}, AbruptEnd{"end=abort", 134}}) {
    SCOPED_TRACE(each.argument);
    const TracedRun run({"iterations=3", "kernels=10", each.argument});
    EXPECT_EQ(run.end.status, each.status);
    const auto files = run.files();
    ASSERT_EQ(files.size(), 1U);
    const CaptureContents capture = read_capture(files[0], true);
    EXPECT_FALSE(capture.closed);
    expect_whole(capture, 3);
  }
}

TEST(TracedProcess, AChildOfForkWritesNothing) {
  const TracedRun run({"iterations=2", "kernels=10", "fork=1"});
  EXPECT_EQ(run.end.status, 0);
  EXPECT_EQ(run.end.output, "");
  expect_whole(run.capture(), 2);
}

TEST(TracedProcess, AfterExecTheSecondProgramHasAFileOfItsOwn) {
  const TracedRun run({"iterations=3", "kernels=10", "end=exec"});
  EXPECT_EQ(run.end.status, 0);
  const auto files = run.files();
  ASSERT_EQ(files.size(), 2U);
  std::multiset<std::size_t> operations;
  for (const auto& file : files) operations.insert(read_capture(file, true).operations.size());
  EXPECT_EQ(operations, (std::multiset<std::size_t>{kOperations, 3 * kOperations}));
}

TEST(TracedProcess, EachProcessOfAJobHasAFileOfItsOwn) {
  const TracedRun run({"iterations=2", "kernels=10"}, {},
                      {"/bin/sh", "-c", "RANK=0 \"$0\" \"$@\" & RANK=1 \"$0\" \"$@\"; wait"});
  EXPECT_EQ(run.end.output, "");
  const auto files = run.files();
  ASSERT_EQ(files.size(), 2U);
  std::set<int> ranks;
  for (const auto& file : files) {
    const CaptureContents capture = read_capture(file);
    expect_whole(capture, 2);
    ranks.insert(capture.header.rank());
  }
  EXPECT_EQ(ranks, (std::set<int>{0, 1}));
}

/// A run that cannot record kernels: its own status, one sentence, and the marks all the same.
void expect_only_marks(const TracedRun& run, const std::vector<std::string>& said) {
  EXPECT_EQ(run.end.status, 0);
  EXPECT_EQ(count_lines(run.end.output), 1U) << run.end.output;
  EXPECT_EQ(run.end.output.rfind("gradwire: ", 0), 0U);
  for (const std::string& words : said) {
    EXPECT_NE(run.end.output.find(words), std::string::npos) << words << "\n" << run.end.output;
  }
  const CaptureContents capture = run.capture();
  EXPECT_TRUE(capture.operations.empty());
  EXPECT_TRUE(capture.calls.empty());
  EXPECT_EQ(capture.tally.unreturned_buffers(), 0U);
  EXPECT_GE(capture.events.size(), 2U);  // an iteration begins and ends
}

TEST(TracedProcess, OneSentenceSaysWhyKernelsAreNotRecorded) {
  const std::vector<std::string> arguments = {"iterations=1", "kernels=10"};
  const auto odd = [&](const char* oddity) {
    return TracedRun(arguments, {std::string("GRADWIRE_FAKE_CUPTI=") + oddity});
  };
  expect_only_marks(odd("busy=Nsight Systems"), {"another tool holds CUPTI", "(Nsight Systems)"});
  expect_only_marks(odd("permission"),
                    {"NVreg_RestrictProfilingToAdminUsers=0", "CAP_SYS_ADMIN", "35"});
  expect_only_marks(odd("nodriver"), {"cuptiSubscribe answered 999", "13000", "130001"});
  expect_only_marks(odd("version=140000"), {"version 140000", "CUDA 12 or 13"});
  expect_only_marks(odd("version=18"), {"version 18"});
  expect_only_marks(
      TracedRun(arguments, {"GRADWIRE_FAKE_CUPTI=olddriver", "GRADWIRE_FAKE_DRIVER_VERSION=13000"}),
      {"the driver is older", "13000", "130001"});
  expect_only_marks(TracedRun(arguments, {"GRADWIRE_CUPTI_LIB=/nowhere/libcupti.so"}),
                    {"GRADWIRE_CUPTI_LIB", "/nowhere/libcupti.so"});
  expect_only_marks(TracedRun(arguments, {std::string("GRADWIRE_CUPTI_LIB=") +
                                          GRADWIRE_FAKES_FOLDER + "/libcuda.so.1"}),
                    {"has no function cuptiGetVersion"});
}

TEST(TracedProcess, AnOlderDriverIsAskedForCupti12First) {
  const std::string both =
      std::string("LD_LIBRARY_PATH=") + GRADWIRE_FAKES_FOLDER + ":" + GRADWIRE_FAKES_12_FOLDER;
  const TracedRun run({"iterations=1", "kernels=10"}, {"GRADWIRE_FAKE_DRIVER_VERSION=12040"},
                      {"/usr/bin/env", both});
  EXPECT_EQ(run.capture().fact("cupti library"),
            std::string(GRADWIRE_FAKES_12_FOLDER) + "/libcupti.so.12");
  expect_whole(run.capture(), 1);
}

TEST(TracedProcess, NvidiasOwnLibraryWithoutADriverHarmsNothing) {
  const TracedRun run({"iterations=1", "kernels=10"},
                      {std::string("GRADWIRE_CUPTI_LIB=") + GRADWIRE_REAL_CUPTI});
  expect_only_marks(run, {"cuptiSubscribe answered", "libcupti.so"});
  EXPECT_NE(run.capture().fact("cupti library").find("libcupti.so"), std::string::npos);
}

}  // namespace
}  // namespace gradwire::test
