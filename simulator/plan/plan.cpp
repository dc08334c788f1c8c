#include "simulator/plan/plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "simulator/scenario/network_conditions_text.hpp"

namespace gradwire {

std::string_view name_of(Stream stream) {
  constexpr std::array<std::string_view, kStreams> kNames = {"compute", "communication", "host",
                                                             "side", "free"};
  return kNames[static_cast<std::size_t>(stream)];
}

bool has_overlapped_work(const Plan& plan) {
  return std::any_of(plan.ops.begin(), plan.ops.end(), [](const Op& op) {
    return op.stream != Stream::kCompute && op.stream != Stream::kCommunication;
  });
}

std::string_view name_of(DeviceTask task) {
  switch (task) {
    case DeviceTask::kEncode:
      return "encode";
    case DeviceTask::kDecode:
      return "decode";
    case DeviceTask::kBackward:
      break;
  }
  return "compute";
}

std::string to_text(const Plan& plan) {
  std::string text = fmt::format("workers {} overlap_slowdown {} latency {}\n", plan.workers,
                                 plan.overlap_slowdown, name_of(plan.latency_mode));
  for (std::size_t i = 0; i < plan.ops.size(); ++i) {
    const Op& op = plan.ops[i];
    if (op.collective) {
      const CollectiveCall& call = op.collective->call();
      text += fmt::format("{} communicate {} {} {}x{}B", i, op.label, name_of(call.kind),
                          call.elements.count(), call.element_size.count());
    } else {
      const bool host = op.stream == Stream::kHost;
      text += fmt::format("{} {} {} {:.6f}ms", i, host ? "host" : name_of(op.task), op.label,
                          op.work.count() * 1e3);
      if (!host && op.stream != Stream::kCompute) text += fmt::format(" on {}", name_of(op.stream));
    }
    if (!op.after.empty()) text += fmt::format(" after {}", fmt::join(op.after, ","));
    text += '\n';
  }
  if (plan.second_job) {
    const CollectiveCall& call = plan.second_job->collective->call();
    text += fmt::format("second job: compute {:.6f}ms, {} {}x{}B on {} nodes\n",
                        plan.second_job->compute.count() * 1e3, name_of(call.kind),
                        call.elements.count(), call.element_size.count(),
                        plan.second_job->collective->ranks());
  }
  for (const CapacityChange& change : plan.link_events) {
    text += fmt::format("link {} x{:g} at {:.6f}ms\n", change.link, change.factor,
                        change.at.count() * 1e3);
  }
  for (const BackgroundFlow& flow : plan.background) {
    text += fmt::format("background {}\n", to_text(flow));
  }
  if (plan.latency_jitter) {
    text += fmt::format("latency jitter {}\n", to_text(*plan.latency_jitter));
  }
  return text;
}

}  // namespace gradwire
