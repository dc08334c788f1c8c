#include "tests/support/training_trace.hpp"

#include <string>
#include <utility>
#include <vector>

namespace gradwire::test {
namespace {

constexpr std::int64_t kIteration = 10'000;
constexpr std::int64_t kForward = 3'000;

Kernel kernel(std::int64_t start, std::int64_t end, int stream, std::int32_t iteration) {
  Kernel result;
  result.start = Nanoseconds{start};
  result.duration = Nanoseconds{end - start};
  result.stream = StreamId{stream};
  result.iteration = iteration;
  return result;
}

Gradient gradient(const std::string& parameter, std::vector<std::int64_t> shape, std::int64_t ready,
                  std::int32_t iteration) {
  Gradient result;
  result.iteration = iteration;
  result.parameter = parameter;
  result.shape = std::move(shape);
  std::int64_t elements = 1;
  for (const std::int64_t extent : result.shape) elements *= extent;
  result.elements = Elements{elements};
  result.dtype = DType::kFloat32;
  result.ready = Nanoseconds{ready};
  return result;
}

}  // namespace

void add_iteration(Trace& trace, std::int64_t start, std::int64_t span) {
  const auto index = static_cast<std::int32_t>(trace.iterations.size());
  const std::int64_t backward = start + kForward;
  if (trace.names.empty()) trace.names.emplace_back("kernel");
  trace.iterations.push_back(
      {index, Nanoseconds{start}, Nanoseconds{start + kIteration}, false, false, true});
  trace.backwards.push_back({index, Nanoseconds{backward}, Nanoseconds{backward + span}});
  trace.kernels.push_back(kernel(start, start + 2'900, 7, index));
  const std::vector<Kernel> pass = {kernel(backward, backward + 1'000, 7, index),
                                    kernel(backward + 1'200, backward + 2'000, 7, index),
                                    kernel(backward + 1'800, backward + 2'500, 8, index),
                                    kernel(backward + 2'700, backward + span, 7, index)};
  for (Kernel item : pass) {
    item.in_backward = true;
    trace.kernels.push_back(item);
  }
  trace.gradients.push_back(gradient("fc.weight", {10, 4}, backward + 1'000, index));
  trace.gradients.push_back(gradient("conv.weight", {8, 3, 3, 3}, backward + 2'500, index));
  trace.gradients.push_back(gradient("conv.bias", {8}, backward + span, index));
}

Trace training_trace() {
  Trace trace;
  DeviceFacts device;
  device.name = "Tesla V100";
  trace.devices.push_back(device);
  std::int64_t start = 0;
  for (const std::int64_t span : {4'000, 4'200, 4'100}) {
    add_iteration(trace, start, span);
    start += kIteration;
  }
  return trace;
}

}  // namespace gradwire::test
