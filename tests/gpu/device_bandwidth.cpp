// How near the kernels of schemes that should be bound by memory come to the device's own copy:
// device_bandwidth ELEMENTS prints CSV. Bytes are those that a scheme's kernels read and write,
// each array once a kernel that goes through it, whatever caches keep.

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <vector>

#include "base/errors.hpp"
#include "compressors/cuda/device_runtime.hpp"
#include "compressors/cuda/kernel_device.hpp"

namespace gradwire {
namespace {

constexpr int kSamples = 10;
constexpr int kRanks = 8;  // where the decode grows with them

/// Bytes an element, encoding and decoding.
struct Traffic {
  const char* scheme;
  double encode;
  double decode;
};

// mstopk: magnitudes summed, rounds / 4 passes, two to select. topk: gradient and memory added
// (12), three digits, two to select. ef-signsgd: gradient and memory (12), memory again (8).
// Selected elements, a hundredth, are not counted.
constexpr Traffic kTraffics[] = {
    {"fp16", 6, 6},
    {"bf16", 6, 6},
    {"signsgd", 4.125, 4 + kRanks * 0.125},
    {"ef-signsgd", 20.125, 4 + kRanks * 0.125},
    {"mstopk:fraction=0.01,rounds=20,index_bytes=4", 4 * 8, 4},
    {"topk:fraction=0.01,index_bytes=4", 12 + 4 * 5, 4},
    {"qsgd:bits=4,bucket=512", 8.5, 4 + kRanks * 0.5},
};

template <class Run>
Seconds shortest(Run run) {
  run();
  Seconds least{std::numeric_limits<double>::infinity()};
  for (int sample = 0; sample < kSamples; ++sample) least = std::min(least, run());
  return least;
}

/// Bytes read and written a second, by the device's own copy.
double copy_rate(std::size_t bytes) {
  const OwnStream stream;
  const DeviceArray<char> from(bytes);
  const DeviceArray<char> to(bytes);
  DeviceEvent begin;
  DeviceEvent end;
  const Seconds time = shortest([&] {
    begin.record(stream.get());
    copy_on_device(to.get(), from.get(), bytes, stream.get());
    end.record(stream.get());
    return end.since(begin);
  });
  return 2.0 * static_cast<double>(bytes) / time.count();
}

int print_table(std::int64_t elements) {
  const double copied = copy_rate(static_cast<std::size_t>(elements) * sizeof(float));
  fmt::print("scheme,half,elements,ranks,bytes_per_element,time_s,bytes_per_s,share_of_copy\n");
  fmt::print("copy,,{},1,8,{:.6g},{:.4g},1\n", elements,
             8.0 * static_cast<double>(elements) / copied, copied);
  const auto device =
      make_kernel_device({DeviceKind::kGpu, "this device", "", {}}, [] { return Bytes{0}; });
  for (const Traffic& traffic : kTraffics) {
    const auto exchange = device->make({"fused", traffic.scheme, {{{elements}}}, kRanks});
    const auto print = [&](const char* half, double bytes, Seconds time) {
      const double rate = bytes * static_cast<double>(elements) / time.count();
      fmt::print("\"{}\",{},{},{},{:.4g},{:.6g},{:.4g},{:.3f}\n", traffic.scheme, half, elements,
                 kRanks, bytes, time.count(), rate, rate / copied);
    };
    print("encode", traffic.encode, shortest([&] { return exchange->run().encode; }));
    print("decode", traffic.decode, shortest([&] { return exchange->run().decode; }));
  }
  return 0;
}

}  // namespace
}  // namespace gradwire

int main(int argc, char** argv) {
  const std::int64_t elements = argc == 2 ? std::atoll(argv[1]) : 0;
  if (elements <= 0) {
    fmt::print(stderr, "usage: device_bandwidth ELEMENTS\n");
    return 2;
  }
  if (gradwire::device_count() == 0) {
    fmt::print(stderr, "device_bandwidth: no GPU\n");
    return 3;
  }
  try {
    return gradwire::print_table(elements);
  } catch (const std::exception& error) {
    fmt::print(stderr, "device_bandwidth: {}\n", error.what());
    return 3;
  }
}
