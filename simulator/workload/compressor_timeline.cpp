#include "simulator/workload/compressor_timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/errors.hpp"

namespace gradwire {
namespace {

std::optional<std::int32_t> middle_iteration(const Trace& trace) {
  std::vector<std::int32_t> complete;
  for (std::size_t i = 0; i < trace.iterations.size(); ++i) {
    if (trace.iterations[i].complete) complete.push_back(static_cast<std::int32_t>(i));
  }
  if (complete.empty()) return std::nullopt;
  return complete[complete.size() / 2];
}

/// The kernels of one exchange, by their start on the device as the trace has them.
std::vector<const Kernel*> kernels_of_exchange(const Trace& trace) {
  const std::optional<std::int32_t> iteration = middle_iteration(trace);
  std::vector<const Kernel*> kernels;
  for (const Kernel& kernel : trace.kernels) {
    if (!iteration || kernel.iteration == iteration) kernels.push_back(&kernel);
  }
  return kernels;
}

/// The stream with most of the work; the smallest such.
StreamId main_stream(const std::vector<const Kernel*>& kernels) {
  std::map<StreamId, Nanoseconds> busy;
  for (const Kernel* kernel : kernels) busy[kernel->stream] += kernel->duration;
  return std::max_element(busy.begin(), busy.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

std::vector<CompressorKernel> phase_of(const Trace& trace, std::vector<const Kernel*> kernels,
                                       const std::string& name) {
  std::vector<CompressorKernel> phase;
  if (kernels.empty()) return phase;
  for (const Kernel* kernel : kernels) {
    if (kernel->launch) continue;
    throw InputError(
        fmt::format("{}: kernel {} has no launch; a compressor is replayed launch by launch, so "
                    "record with CPU "
                    "and CUDA activity",
                    name, trace.names[kernel->name]));
  }
  std::stable_sort(kernels.begin(), kernels.end(), [](const Kernel* a, const Kernel* b) {
    return a->launch->start < b->launch->start;
  });
  const StreamId main = main_stream(kernels);
  std::optional<Nanoseconds> launched;  // when the launch in front had ended
  for (const Kernel* kernel : kernels) {
    const Nanoseconds end = kernel->launch->start + kernel->launch->duration;
    const Nanoseconds host = launched ? end - *launched : kernel->launch->duration;
    launched = launched ? std::max(*launched, end) : end;
    phase.push_back({trace.names[kernel->name], std::max(Nanoseconds{0}, host), kernel->duration,
                     kernel->stream != main});
  }
  return phase;
}

}  // namespace

CompressorTimeline make_compressor_timeline(const Trace& trace, const std::string& name) {
  const std::vector<const Kernel*> all = kernels_of_exchange(trace);
  std::size_t collectives = 0;
  std::vector<std::vector<const Kernel*>> parts(1);
  for (const Kernel* kernel : all) {
    if (kernel->category == KernelCategory::kCommunication) {
      ++collectives;
      parts.emplace_back();
    } else {
      parts.back().push_back(kernel);
    }
  }
  CompressorTimeline timeline;
  timeline.name = name;
  timeline.encode = phase_of(trace, parts.front(), name);
  std::vector<const Kernel*> between;
  for (std::size_t i = 1; i < collectives; ++i) {
    between.insert(between.end(), parts[i].begin(), parts[i].end());
  }
  timeline.between = phase_of(trace, std::move(between), name);
  if (collectives > 0) timeline.decode = phase_of(trace, parts.back(), name);
  if (timeline.encode.empty() && timeline.between.empty() && timeline.decode.empty()) {
    throw InputError(fmt::format(
        "{}: no kernels of a compressor found; a trace of one exchange or more is accepted", name));
  }
  return timeline;
}

Seconds replayed(const std::vector<CompressorKernel>& kernels) {
  Seconds host{0};
  Seconds main{0};
  Seconds side{0};
  for (const CompressorKernel& kernel : kernels) {
    host += kernel.host;
    Seconds& stream = kernel.side_stream ? side : main;
    stream = std::max(stream, host) + kernel.device;
  }
  return std::max({host, main, side});
}

}  // namespace gradwire
