#include "tests/support/sample_trace.hpp"

namespace gradwire::test {
namespace {

Kernel kernel(std::uint32_t name, std::int64_t start, std::int64_t duration) {
  Kernel result;
  result.name = name;
  result.start = Nanoseconds{start};
  result.duration = Nanoseconds{duration};
  return result;
}

void add_kernels(Trace& trace) {
  Kernel forward = kernel(0, -500, 400);
  forward.stream = StreamId{7};
  forward.correlation = 11;
  forward.launch = Launch{Nanoseconds{-900}, Nanoseconds{20}, 4711};
  forward.iteration = 0;
  Kernel backward = kernel(1, 1'000, 2'500);
  backward.stream = StreamId{7};
  backward.correlation = -3;
  backward.graph_node = 0xFFFF'FFFF'0000'0001;
  backward.launch = Launch{Nanoseconds{800}, Nanoseconds{0}, -1};
  backward.iteration = 0;
  backward.in_backward = true;
  Kernel all_reduce = kernel(2, 2'000, 5'000);
  all_reduce.stream = StreamId{40};
  all_reduce.category = KernelCategory::kCommunication;
  all_reduce.iteration = 1;
  Kernel copy = kernel(3, 2'000, 0);
  copy.device = 1;
  copy.category = KernelCategory::kMemcpy;
  copy.bytes = Bytes{602'112};
  Kernel set = kernel(3, 9'000, 1);
  set.category = KernelCategory::kMemset;
  set.bytes = Bytes{4};
  trace.kernels = {forward, backward, all_reduce, copy, set};
}

void add_gradients(Trace& trace) {
  Gradient weight;
  weight.parameter = "fc.weight";
  weight.shape = {10, 4};
  weight.elements = Elements{40};
  weight.dtype = DType::kFloat32;
  weight.ready = Nanoseconds{3'500};
  weight.own_kernel = true;
  Gradient scalar;
  scalar.elements = Elements{1};
  scalar.dtype = DType::kBfloat16;
  scalar.ready = Nanoseconds{3'600};
  Gradient unknown;
  unknown.iteration = 1;
  unknown.device = 1;
  unknown.ready = Nanoseconds{8'000};
  trace.gradients = {weight, scalar, unknown};
}

void add_facts(Trace& trace) {
  trace.base_time = Nanoseconds{1'622'000'000'000'000'123};
  trace.rank = 0;
  trace.world_size = 2;
  trace.batch_size = 32;
  DeviceFacts known{0, "Tesla V100-DGXS-32GB", 80, Bytes{34'087'305'216}, "7.0"};
  DeviceFacts unknown;
  unknown.index = 1;
  trace.devices = {known, unknown};
  trace.software = {{"cuda_runtime_version", "11030"}, {"empty", ""}};
  trace.provenance = {"github.com/someone/traces, a.json, commit 1234",
                      "BSD-3-Clause",
                      "by hand",
                      {"CPU operators", "Python stacks"},
                      "derived",
                      "from another trace"};
  trace.parallelism = {{"fsdp", "reduce-scatter of parameters"}};
}

}  // namespace

Trace sample_trace() {
  Trace trace;
  add_facts(trace);
  trace.names = {"void conv(float*)", "dgrad\u00e9", "ncclKernel_AllReduce", ""};
  trace.iterations = {{3, Nanoseconds{-1'000}, Nanoseconds{4'000}, true, false, true},
                      {4, Nanoseconds{4'000}, Nanoseconds{9'500}, false, true, false}};
  trace.backwards = {{0, Nanoseconds{1'000}, Nanoseconds{3'500}},
                     {1, Nanoseconds{7'000}, Nanoseconds{8'000}}};
  add_kernels(trace);
  Communication communication;
  communication.collective = CollectiveKind::kAllReduce;
  communication.in_elements = Elements{41};
  communication.out_elements = Elements{41};
  communication.dtype = DType::kFloat32;
  communication.group_size = 2;
  communication.kernel = 2;
  communication.iteration = 1;
  trace.communications = {communication, Communication{}};
  add_gradients(trace);
  return trace;
}

}  // namespace gradwire::test
