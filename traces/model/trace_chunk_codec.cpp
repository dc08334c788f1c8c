#include "traces/model/trace_chunk_codec.hpp"

#include "base/utf8.hpp"
#include "traces/schema/trace.pb.h"

namespace gradwire {
namespace {

schema::KernelCategory encode_category(KernelCategory category) {
  switch (category) {
    case KernelCategory::kCompute:
      return schema::KERNEL_CATEGORY_COMPUTE;
    case KernelCategory::kCommunication:
      return schema::KERNEL_CATEGORY_COMMUNICATION;
    case KernelCategory::kMemcpy:
      return schema::KERNEL_CATEGORY_MEMCPY;
    case KernelCategory::kMemset:
      return schema::KERNEL_CATEGORY_MEMSET;
  }
  return schema::KERNEL_CATEGORY_UNSPECIFIED;
}

KernelCategory decode_category(schema::KernelCategory category) {
  switch (category) {
    case schema::KERNEL_CATEGORY_COMMUNICATION:
      return KernelCategory::kCommunication;
    case schema::KERNEL_CATEGORY_MEMCPY:
      return KernelCategory::kMemcpy;
    case schema::KERNEL_CATEGORY_MEMSET:
      return KernelCategory::kMemset;
    default:
      return KernelCategory::kCompute;
  }
}

void encode_header(const Trace& trace, schema::Header& out) {
  out.set_base_time_ns(trace.base_time.count());
  if (trace.rank) out.set_rank(*trace.rank);
  if (trace.world_size) out.set_world_size(*trace.world_size);
  if (trace.batch_size) out.set_batch_size(*trace.batch_size);
  for (const DeviceFacts& device : trace.devices) {
    schema::Device& to = *out.add_devices();
    to.set_index(device.index);
    to.set_name(repair_utf8(device.name));
    if (device.multiprocessors) to.set_multiprocessors(*device.multiprocessors);
    if (device.memory) to.set_memory_bytes(device.memory->count());
    to.set_compute_capability(repair_utf8(device.compute_capability));
  }
  for (const Fact& fact : trace.software) {
    schema::Fact& to = *out.add_software();
    to.set_name(repair_utf8(fact.name));
    to.set_value(repair_utf8(fact.value));
  }
  schema::Provenance& provenance = *out.mutable_provenance();
  provenance.set_source(repair_utf8(trace.provenance.source));
  provenance.set_licence(repair_utf8(trace.provenance.licence));
  provenance.set_made_by(repair_utf8(trace.provenance.made_by));
  for (const std::string& item : trace.provenance.left_out)
    provenance.add_left_out(repair_utf8(item));
  provenance.set_standing(repair_utf8(trace.provenance.standing));
  provenance.set_basis(repair_utf8(trace.provenance.basis));
  for (const Parallelism& item : trace.parallelism) {
    schema::Parallelism& to = *out.add_parallelism();
    to.set_name(repair_utf8(item.name));
    to.set_evidence(repair_utf8(item.evidence));
  }
}

void decode_header(const schema::Header& in, Trace& trace) {
  trace.base_time = Nanoseconds{in.base_time_ns()};
  if (in.has_rank()) trace.rank = in.rank();
  if (in.has_world_size()) trace.world_size = in.world_size();
  if (in.has_batch_size()) trace.batch_size = in.batch_size();
  for (const schema::Device& device : in.devices()) {
    DeviceFacts to{device.index(), device.name(), {}, {}, device.compute_capability()};
    if (device.has_multiprocessors()) to.multiprocessors = device.multiprocessors();
    if (device.has_memory_bytes()) to.memory = Bytes{device.memory_bytes()};
    trace.devices.push_back(std::move(to));
  }
  for (const schema::Fact& fact : in.software()) {
    trace.software.push_back({fact.name(), fact.value()});
  }
  trace.provenance = {in.provenance().source(),
                      in.provenance().licence(),
                      in.provenance().made_by(),
                      {in.provenance().left_out().begin(), in.provenance().left_out().end()},
                      in.provenance().standing(),
                      in.provenance().basis()};
  for (const schema::Parallelism& item : in.parallelism()) {
    trace.parallelism.push_back({item.name(), item.evidence()});
  }
}

void encode_to(const Kernel& kernel, schema::Kernel& out) {
  out.set_name(kernel.name);
  out.set_device(kernel.device);
  out.set_stream(index_of(kernel.stream));
  out.set_category(encode_category(kernel.category));
  out.set_start_ns(kernel.start.count());
  out.set_duration_ns(kernel.duration.count());
  if (kernel.correlation) out.set_correlation(*kernel.correlation);
  if (kernel.launch) {
    out.mutable_launch()->set_start_ns(kernel.launch->start.count());
    out.mutable_launch()->set_duration_ns(kernel.launch->duration.count());
    out.mutable_launch()->set_thread(kernel.launch->thread);
  }
  if (kernel.iteration) out.set_iteration(*kernel.iteration);
  out.set_in_backward(kernel.in_backward);
  out.set_bytes(kernel.bytes.count());
  if (kernel.graph_node) out.set_graph_node(*kernel.graph_node);
}

Kernel decode_kernel(const schema::Kernel& in) {
  Kernel kernel;
  kernel.name = in.name();
  kernel.device = in.device();
  kernel.stream = StreamId{in.stream()};
  kernel.category = decode_category(in.category());
  kernel.start = Nanoseconds{in.start_ns()};
  kernel.duration = Nanoseconds{in.duration_ns()};
  if (in.has_correlation()) kernel.correlation = in.correlation();
  if (in.has_launch()) {
    kernel.launch = Launch{Nanoseconds{in.launch().start_ns()},
                           Nanoseconds{in.launch().duration_ns()}, in.launch().thread()};
  }
  if (in.has_iteration()) kernel.iteration = in.iteration();
  kernel.in_backward = in.in_backward();
  kernel.bytes = Bytes{in.bytes()};
  if (in.has_graph_node()) kernel.graph_node = in.graph_node();
  return kernel;
}

void encode_to(const Communication& from, schema::Communication& out) {
  out.set_collective(std::string{name_of(from.collective)});
  if (from.in_elements) out.set_in_elements(from.in_elements->count());
  if (from.out_elements) out.set_out_elements(from.out_elements->count());
  out.set_dtype(std::string{name_of(from.dtype)});
  if (from.group_size) out.set_group_size(*from.group_size);
  if (from.kernel) out.set_kernel(*from.kernel);
  if (from.iteration) out.set_iteration(*from.iteration);
}

Communication decode_communication(const schema::Communication& in) {
  Communication to;
  to.collective = collective_from_name(in.collective());
  if (in.has_in_elements()) to.in_elements = Elements{in.in_elements()};
  if (in.has_out_elements()) to.out_elements = Elements{in.out_elements()};
  to.dtype = dtype_from_name(in.dtype());
  if (in.has_group_size()) to.group_size = in.group_size();
  if (in.has_kernel()) to.kernel = in.kernel();
  if (in.has_iteration()) to.iteration = in.iteration();
  return to;
}

void encode_to(const Gradient& from, schema::Gradient& out) {
  out.set_iteration(from.iteration);
  out.set_parameter(repair_utf8(from.parameter));
  for (const std::int64_t extent : from.shape) out.add_shape(extent);
  if (from.elements) out.set_elements(from.elements->count());
  out.set_dtype(std::string{name_of(from.dtype)});
  out.set_ready_ns(from.ready.count());
  out.set_device(from.device);
  out.set_own_kernel(from.own_kernel);
}

Gradient decode_gradient(const schema::Gradient& in) {
  Gradient to;
  to.iteration = in.iteration();
  to.parameter = in.parameter();
  to.shape.assign(in.shape().begin(), in.shape().end());
  if (in.has_elements()) to.elements = Elements{in.elements()};
  to.dtype = dtype_from_name(in.dtype());
  to.ready = Nanoseconds{in.ready_ns()};
  to.device = in.device();
  to.own_kernel = in.own_kernel();
  return to;
}

void encode_marks(const Trace& trace, schema::Chunk& out) {
  for (const IterationMark& mark : trace.iterations) {
    schema::Iteration& to = *out.add_iterations();
    to.set_number(mark.number);
    to.set_start_ns(mark.start.count());
    to.set_end_ns(mark.end.count());
    to.set_representative(mark.representative);
    to.set_inferred(mark.inferred);
    to.set_complete(mark.complete);
  }
  for (const BackwardMark& mark : trace.backwards) {
    schema::Backward& to = *out.add_backwards();
    to.set_iteration(mark.iteration);
    to.set_start_ns(mark.start.count());
    to.set_end_ns(mark.end.count());
  }
}

}  // namespace

void encode_head(const Trace& trace, schema::Chunk& chunk) {
  encode_header(trace, *chunk.mutable_header());
  encode_marks(trace, chunk);
}

std::size_t append_name(const std::string& name, schema::Chunk& chunk) {
  chunk.add_names(repair_utf8(name));
  return name.size() + 2;  // tag and length
}

std::size_t append_record(const Kernel& kernel, schema::Chunk& chunk) {
  schema::Kernel& to = *chunk.add_kernels();
  encode_to(kernel, to);
  return to.ByteSizeLong();
}

std::size_t append_record(const Communication& communication, schema::Chunk& chunk) {
  schema::Communication& to = *chunk.add_communications();
  encode_to(communication, to);
  return to.ByteSizeLong();
}

std::size_t append_record(const Gradient& gradient, schema::Chunk& chunk) {
  schema::Gradient& to = *chunk.add_gradients();
  encode_to(gradient, to);
  return to.ByteSizeLong();
}

void decode_chunk(const schema::Chunk& chunk, Trace& trace) {
  if (chunk.has_header()) decode_header(chunk.header(), trace);
  for (const std::string& name : chunk.names()) trace.names.push_back(name);
  for (const schema::Kernel& kernel : chunk.kernels()) {
    trace.kernels.push_back(decode_kernel(kernel));
  }
  for (const schema::Communication& item : chunk.communications()) {
    trace.communications.push_back(decode_communication(item));
  }
  for (const schema::Gradient& item : chunk.gradients()) {
    trace.gradients.push_back(decode_gradient(item));
  }
  for (const schema::Iteration& mark : chunk.iterations()) {
    trace.iterations.push_back({mark.number(), Nanoseconds{mark.start_ns()},
                                Nanoseconds{mark.end_ns()}, mark.representative(), mark.inferred(),
                                mark.complete()});
  }
  for (const schema::Backward& mark : chunk.backwards()) {
    trace.backwards.push_back(
        {mark.iteration(), Nanoseconds{mark.start_ns()}, Nanoseconds{mark.end_ns()}});
  }
}

}  // namespace gradwire
