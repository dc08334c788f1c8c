// The variants of the file format (trace-format survey: PyTorch 1.8 to 2.6, CUDA and ROCm).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/traces/importers/kineto_text.hpp"
#include "traces/model/trace_checks.hpp"

namespace gradwire {
namespace {

using test::import_text;
using test::KinetoText;
using test::times;
using test::two_iterations;

/// The events of PyTorch 1.8: categories with capitals, ids in quotes, whole microseconds.
std::string oldest_form() {
  KinetoText text;
  text.raw(R"({"ph": "X", "cat": "Operator", "name": "ProfilerStep#5", "pid": 9, "tid": "77",
 "ts": 1606910596297094, "dur": 1000, "args": {"Input dims": [], "Input type": []}})");
  text.raw(R"({"ph": "X", "cat": "Operator", "name": "torch::autograd::AccumulateGrad", "pid": 9,
 "tid": "88", "ts": 1606910596297300, "dur": 40,
 "args": {"Input dims": [[1000]], "Input type": [], "External id": 3473}})");
  text.raw(R"({"ph": "X", "cat": "Kernel", "name": "add", "pid": 0, "tid": "stream 7",
 "ts": 1606910596297400, "dur": 3, "args": {"device": 0, "stream": 7, "correlation": 60032}})");
  text.raw(R"({"ph": "X", "cat": "Runtime", "name": "cudaLaunchKernel", "pid": 9, "tid": "88",
 "ts": 1606910596297310, "dur": 5, "args": {"cbid": 211, "correlation": 60032}})");
  text.raw(R"j({"ph": "X", "cat": "Memset", "name": "Memset (Device)", "pid": 0,
 "tid": "stream 7", "ts": 1606910596297500, "dur": 1, "args": {"correlation": 1, "bytes": 4096}})j");
  text.raw(R"({"ph": "X", "cat": "Memcpy", "name": "Memcpy HtoD", "pid": 0, "tid": "stream 7",
 "ts": 1606910596297600, "dur": 1, "args": {"correlation": 2, "bytes": 512}})");
  return text.array();
}

TEST(KinetoFormat, ABareArrayOfTheOldestVersionIsRead) {
  const Imported imported = import_text(oldest_form());
  const Trace& trace = imported.trace;
  EXPECT_EQ(imported.report.format, "kineto event array, integer times");
  ASSERT_EQ(trace.kernels.size(), 3u);
  EXPECT_EQ(trace.kernels[0].stream, StreamId{7});
  EXPECT_TRUE(trace.kernels[0].in_backward);
  EXPECT_EQ(trace.kernels[1].category, KernelCategory::kMemset);
  EXPECT_EQ(trace.kernels[1].bytes, Bytes{4096});
  EXPECT_EQ(trace.kernels[1].stream, StreamId{7});
  EXPECT_EQ(trace.kernels[2].category, KernelCategory::kMemcpy);
  ASSERT_EQ(trace.gradients.size(), 1u);
  EXPECT_EQ(trace.gradients[0].elements, Elements{1000});
  EXPECT_EQ(trace.iterations.at(0).number, 5);
}

TEST(KinetoFormat, ZeroIsTheEarliestTimeAndItsEpochTimeIsKept) {
  const Trace trace = import_text(oldest_form()).trace;
  EXPECT_EQ(trace.base_time, Nanoseconds{1606910596297094000});
  EXPECT_EQ(trace.iterations[0].start, Nanoseconds{0});
  EXPECT_EQ(trace.kernels[0].start, Nanoseconds{306000});
  EXPECT_EQ(trace.kernels[0].launch->start, Nanoseconds{216000});
}

TEST(KinetoFormat, TheBaseTimeIsFoundAfterAndBeforeTheEvents) {
  KinetoText text;
  text.step(1, "4458676416788.066", "10")
      .launched("k", "4458676416790.001", "1.5", "4458676416789.000", 1, 5);
  const std::string key =
      "\"displayTimeUnit\": \"ms\", \"baseTimeNanoseconds\": 1711964646000000000";
  // 1711964646 s + 4458676.416788066 s
  const Nanoseconds expected{1711964646000000000 + 4458676416788066};
  EXPECT_EQ(import_text(text.object("", ", " + key)).trace.base_time, expected);
  EXPECT_EQ(import_text(text.object(key + ", ")).trace.base_time, expected);
  EXPECT_EQ(import_text(text.object("", ", " + key)).trace.kernels[0].start, Nanoseconds{1935});
}

TEST(KinetoFormat, TimesOfTheEpochStayWhateverTheDisplayUnitSays) {
  KinetoText text;
  text.step(1, "1712345678901234.567", "10")
      .launched("k", "1712345678901236.000", "1", "1712345678901235.000", 1, 5);
  const std::string tail =
      ", \"displayTimeUnit\": \"ns\", \"baseTimeNanoseconds\": 1711964646000000000";
  EXPECT_EQ(import_text(text.object("", tail)).trace.base_time, Nanoseconds{1712345678901234567});
}

TEST(KinetoFormat, TheBaseTimeIsUnknownWhenTimesAreNotOfTheEpoch) {
  EXPECT_EQ(import_text(two_iterations().object()).trace.base_time, Nanoseconds{0});
}

TEST(KinetoFormat, MetadataGivesDevicesRankAndVersionsAndNothingPersonal) {
  const Imported imported = import_text(two_iterations().object(
      R"("deviceProperties": [{"id": 1, "name": "Tesla V100", "totalGlobalMem": 34084028416,
 "computeMajor": 7, "computeMinor": 0, "numSms": 80}, {"id": 2, "name": "AMD"}],
 "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8, "pg_config": [{"ranks": [0]}]},
 "cuda_runtime_version": 12060, "username": "somebody", "traceName": "/home/somebody/t.json",
 )"));
  const Trace& trace = imported.trace;
  ASSERT_EQ(trace.devices.size(), 2u);
  EXPECT_EQ(trace.devices[0].name, "Tesla V100");
  EXPECT_EQ(trace.devices[0].compute_capability, "7.0");
  EXPECT_EQ(trace.devices[0].multiprocessors, 80);
  EXPECT_EQ(trace.devices[0].memory, Bytes{34084028416});
  EXPECT_FALSE(trace.devices[1].multiprocessors);
  EXPECT_EQ(trace.rank, 3);
  EXPECT_EQ(trace.world_size, 8);
  for (const Fact& fact : trace.software) {
    EXPECT_EQ(fact.value.find("somebody"), std::string::npos);
  }
  EXPECT_THAT(trace.software, testing::Contains(Fact{"cuda_runtime_version", "12060"}));
}

TEST(KinetoFormat, DistributedInfoMayLackEveryKey) {
  const Trace trace = import_text(two_iterations().object("\"distributedInfo\": {},\n")).trace;
  EXPECT_FALSE(trace.rank);
  EXPECT_FALSE(trace.world_size);
}

TEST(KinetoFormat, AnUnknownSchemaVersionIsReadWithAWarning) {
  std::string text = two_iterations().object();
  text.replace(text.find("\"schemaVersion\": 1"), 18, "\"schemaVersion\": 2");
  const Imported imported = import_text(text);
  EXPECT_EQ(times(imported.report, "schema-unknown"), 1u);
  EXPECT_EQ(imported.trace.kernels.size(), 8u);
}

TEST(KinetoFormat, InstantsFlowsMetadataAndStringIdsAreIgnored) {
  KinetoText text = two_iterations();
  text.raw(
      R"({"ph": "i", "s": "g", "name": "Record Window End", "pid": "", "tid": "", "ts": 9e30})");
  text.raw(
      R"({"ph": "M", "name": "process_name", "ts": 1, "pid": "Traces", "tid": 0, "args": {}})");
  text.raw(R"j({"ph": "X", "cat": "Trace", "ts": 0, "dur": 99999, "pid": "Spans", "tid": "PyTorch",
 "name": "PyTorch Profiler (0)", "args": {"Op count": 0}})j");
  text.raw(R"({"ph": "f", "id": 10, "pid": 0, "tid": 7, "ts": 1, "cat": "ac2g", "name": "ac2g"})");
  text.raw(R"({"ph": "X", "cat": "cuda_sync", "name": "Stream Synchronize", "pid": 0, "tid": 7,
 "ts": 1, "dur": 500, "args": {"correlation": 10}})");
  text.raw(
      R"({"ph": "X", "cat": "overhead", "name": "Buffer Flush", "pid": -1, "tid": 0, "ts": 1, "dur": 5})");
  const Imported imported = import_text(text.object());
  EXPECT_EQ(imported.trace.kernels, import_text(two_iterations().object()).trace.kernels);
  EXPECT_FALSE(imported.report.lost_data());
}

TEST(KinetoFormat, AGpuCopyOfAProfilerStepIsNotCountedTwice) {
  KinetoText text = two_iterations();
  text.raw(
      R"({"ph": "X", "cat": "gpu_user_annotation", "name": "ProfilerStep#5", "pid": 0, "tid": 7,
 "ts": 1020, "dur": 510, "args": {"External id": 1}})");
  EXPECT_EQ(import_text(text.object()).trace.iterations.size(), 2u);
}

TEST(KinetoFormat, IntegersBeyondInt64DoNoHarm) {
  KinetoText text = two_iterations();
  text.host("cpu_op", "record_param_comms", "1300", "5", 2,
            "\"Comms Id\": 10159970886766084423, \"Collective name\": \"wait\"");
  const Imported imported = import_text(text.object(), true);
  EXPECT_EQ(imported.trace.kernels.size(), 8u);
}

TEST(KinetoFormat, RocmKernelsAreLinkedThroughHipCalls) {
  KinetoText text;
  text.raw(R"({"ph": "X", "cat": "kernel", "name": "k", "pid": 2, "tid": 0, "ts": 20, "dur": 3.679,
 "args": {"device": 2, "stream": 0, "correlation": 4066, "kind": "Dispatch Kernel"}})");
  text.call("hipExtModuleLaunchKernel", "10", 1, 4066);
  const Imported imported = import_text(text.object());
  EXPECT_EQ(imported.trace.kernels.at(0).device, 2);
  EXPECT_EQ(imported.report.linked_by.at("hipExtModuleLaunchKernel"), 1u);
}

TEST(KinetoFormat, LineEndsOfWindowsAndAByteOrderMarkChangeNothing) {
  const std::string text = two_iterations().object();
  std::string windows = "\xEF\xBB\xBF";
  for (const char c : text) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(import_text(windows).trace, import_text(text).trace);
}

TEST(KinetoFormat, OneLineWithKeysInAnotherOrderIsRead) {
  const std::string text =
      R"({"traceEvents":[{"args":{"correlation":7,"stream":3,"device":1},"dur":2,"ts":100,"tid":3,"pid":1,"name":"k","cat":"kernel","ph":"X"},{"args":{"correlation":7},"dur":1,"ts":90,"tid":5,"pid":4,"name":"cuLaunchKernelEx","cat":"cuda_driver","ph":"X"}]})";
  const Imported imported = import_text(text, true);
  ASSERT_EQ(imported.trace.kernels.size(), 1u);
  EXPECT_EQ(imported.trace.kernels[0].device, 1);
  EXPECT_EQ(imported.trace.kernels[0].launch->thread, 5);
  EXPECT_TRUE(find_trace_defects(imported.trace).empty());
}

TEST(KinetoFormat, AGzipFileGivesTheSameTraceAsThePlainOne) {
  const std::string text = two_iterations().object();
  EXPECT_EQ(import_text(test::gzip(text)).trace, import_text(text).trace);
}

}  // namespace
}  // namespace gradwire
