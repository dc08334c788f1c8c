#include "compressors/cuda/kernel_device.hpp"

#include <gtest/gtest.h>

#include "compressors/cuda/device_runtime.hpp"
#include "compressors/spec/registry.hpp"

namespace gradwire {
namespace {

std::unique_ptr<MeasuredDevice> make_device() {
  return make_kernel_device({DeviceKind::kGpu, "a device", "unknown", {}},
                            [] { return Bytes{1000}; });
}

TEST(KernelDevice, RunsEverySchemeOfBothImplementationsMoreThanOnce) {
  if (device_count() == 0) GTEST_SKIP() << "no GPU";
  const auto device = make_device();
  ASSERT_EQ(device->implementations().size(), 2U);
  EXPECT_EQ(device->implementations()[0].schemes.size(), schemes().size());
  EXPECT_EQ(device->implementations()[1].schemes,
            (std::vector<std::string>{"powersgd", "signsgd", "mstopk"}));
  for (const MeasuredImplementation& implementation : device->implementations()) {
    for (const std::string& scheme : implementation.schemes) {
      for (const int ranks : {1, 3, 9}) {
        const auto exchange = device->make(
            {implementation.name, parse_scheme(scheme)->spelling(), {{{40, 30}}, {{7}}}, ranks});
        for (int run = 0; run < 2; ++run) {
          const EncodeDecodeTime time = exchange->run();
          EXPECT_GT(time.encode, Seconds{0}) << scheme;
          EXPECT_GT(time.decode, Seconds{0}) << scheme;
        }
      }
    }
  }
}

TEST(KernelDevice, NeedsMemoryForTheElementsAndForWhatEveryRankSends) {
  const auto device = make_device();
  const std::vector<TensorShape> flat = {{{32768}}};
  const MeasuredQuestion few{"fused", "signsgd", flat, 1};
  const MeasuredQuestion many{"fused", "signsgd", flat, 97};
  EXPECT_EQ((device->memory_for(many) - device->memory_for(few)).count(), 96 * 4096);
  EXPECT_GE(device->memory_for(few).count(), 16 * 32 * 1024);
  EXPECT_EQ(device->free_memory(), Bytes{1000});
}

}  // namespace
}  // namespace gradwire
