#include "compressors/measure/cpu_device.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "compressors/measure/cpu_machine.hpp"
#include "compressors/measure/gpu_device.hpp"
#include "compressors/spec/registry.hpp"
#include "tests/support/thrown.hpp"

namespace gradwire {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(CpuDevice, RunsEverySchemeThatIsKnownMoreThanOnce) {
  const auto device = make_cpu_device();
  ASSERT_EQ(device->implementations().size(), 1U);
  EXPECT_EQ(device->implementations().front().name, "reference");
  EXPECT_EQ(device->implementations().front().schemes.size(), schemes().size());
  for (const std::string& scheme : device->implementations().front().schemes) {
    const MeasuredQuestion question{
        "reference", parse_scheme(scheme)->spelling(), {{{40, 30}}, {{7}}}, 3};
    const auto exchange = device->make(question);
    for (int run = 0; run < 2; ++run) {
      const EncodeDecodeTime time = exchange->run();
      EXPECT_GE(time.encode, Seconds{0}) << scheme;
      EXPECT_GE(time.decode, Seconds{0}) << scheme;
    }
  }
}

// The gathered messages of 96 ranks are 4 x 96 x 4 KiB more than those of none would be.
TEST(CpuDevice, NeedsMemoryForTheElementsAndForWhatEveryRankSends) {
  const auto device = make_cpu_device();
  const std::vector<TensorShape> flat = {{{32768}}};
  const MeasuredQuestion few{"reference", "signsgd", flat, 1};
  const MeasuredQuestion many{"reference", "signsgd", flat, 97};
  EXPECT_EQ((device->memory_for(many) - device->memory_for(few)).count(), 4 * 96 * 4096);
  EXPECT_GE(device->memory_for(few).count(), 40 * 32 * 1024);
  EXPECT_GT(device->free_memory(), Bytes{0});
}

TEST(CpuMachine, IsNamedAsTheSystemNamesIt) {
  const MeasuredMachine machine = parse_cpu_machine(
      "processor\t: 0\nmodel name\t: Some CPU(R) @ 2.10GHz\ncpu MHz\t\t: 2599.998\n\nprocessor\t: "
      "1\nmodel name\t: Another\n",
      "x86_64");
  EXPECT_EQ(machine.kind, DeviceKind::kCpu);
  EXPECT_EQ(machine.name, "Some CPU(R) @ 2.10GHz");
  EXPECT_EQ(machine.clocks, "2599.998 MHz when asked, as the system tells it");
}

TEST(CpuMachine, ThatTheSystemDoesNotNameIsCalledByItsArchitecture) {
  for (const char* text : {"", "processor\t: 0\n", "model name\t:\n", "model name", ":::\n\n:"}) {
    const MeasuredMachine machine = parse_cpu_machine(text, "aarch64");
    EXPECT_EQ(machine.name, "aarch64 CPU") << text;
    EXPECT_EQ(machine.clocks, "not told by the system") << text;
  }
  EXPECT_EQ(parse_cpu_machine("model name : A\xff", "").name, "A?");
}

TEST(CpuMachine, OfThisProcessSaysWhatItWasCompiledWith) {
  const MeasuredMachine machine = read_cpu_machine();
  EXPECT_THAT(machine.name, Not(HasSubstr("\n")));
  ASSERT_EQ(machine.software.size(), 2U);
  EXPECT_THAT(machine.software.front(), HasSubstr("-O"));
}

TEST(AvailableMemory, IsReadInKibibytesAndAbsentWhereItIsNotSaid) {
  EXPECT_EQ(parse_available_memory("MemTotal:  9 kB\nMemAvailable:   2048 kB\n"), Bytes{2'097'152});
  for (const char* text : {"", "MemAvailable: many kB", "MemAvailable: -3 kB", "MemFree: 1 kB"}) {
    EXPECT_EQ(parse_available_memory(text), std::nullopt) << text;
  }
}

// A build without CUDA has none; one with CUDA has as many as the machine, and never a thousand.
TEST(GpuDevice, ThatIsNotThereIsRefusedByItsNumber) {
  EXPECT_THAT(test::thrown_by<EnvironmentError>([] { make_gpu_device(1000); }),
              HasSubstr("--device 1000: "));
}

}  // namespace
}  // namespace gradwire
