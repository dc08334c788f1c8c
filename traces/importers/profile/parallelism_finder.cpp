#include "traces/importers/profile/parallelism_finder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

namespace gradwire {
namespace {

// All-reduces of statistics and losses are smaller; an activation of a tensor-parallel layer is
// larger.
constexpr std::int64_t kActivationElements = 4096;

/// What one iteration did.
struct IterationSummary {
  std::map<CollectiveKind, std::int64_t> collectives;
  std::int64_t forward_all_reduces =
      0;  ///< of activations' size, launched before the backward pass
  std::optional<Nanoseconds> backward_launch;
  std::vector<std::int64_t> gradients_of_pass;
};

using Summaries = std::vector<IterationSummary>;

std::vector<const Kernel*> compute_by_launch(const Trace& trace) {
  std::vector<const Kernel*> kernels;
  for (const Kernel& kernel : trace.kernels) {
    if (kernel.launch && kernel.iteration && kernel.category == KernelCategory::kCompute)
      kernels.push_back(&kernel);
  }
  std::stable_sort(kernels.begin(), kernels.end(), [](const Kernel* a, const Kernel* b) {
    return a->launch->start < b->launch->start;
  });
  return kernels;
}

/// Launch times at which a pass over the backward part begins, and its iteration.
void count_passes(const ProfileRecords& records, const Trace& trace, Summaries& summaries) {
  std::vector<std::pair<Nanoseconds, std::int32_t>> passes;
  const Kernel* previous = nullptr;
  for (const Kernel* kernel : compute_by_launch(trace)) {
    const bool begins = kernel->in_backward && (previous == nullptr || !previous->in_backward ||
                                                previous->iteration != kernel->iteration);
    if (begins) {
      passes.emplace_back(kernel->launch->start, *kernel->iteration);
      IterationSummary& summary = summaries[static_cast<std::size_t>(*kernel->iteration)];
      if (!summary.backward_launch) summary.backward_launch = kernel->launch->start;
    }
    previous = kernel;
  }
  std::vector<std::int64_t> gradients(passes.size());
  for (const AccumulateRecord& record : records.accumulates) {
    if (record.has_dims && record.dims.empty() && !record.typed) continue;
    const auto after =
        std::upper_bound(passes.begin(), passes.end(), record.span.start,
                         [](Nanoseconds value, const auto& pass) { return value < pass.first; });
    if (after != passes.begin())
      ++gradients[static_cast<std::size_t>(std::prev(after) - passes.begin())];
  }
  for (std::size_t i = 0; i < passes.size(); ++i) {
    if (gradients[i] == 0) continue;
    summaries[static_cast<std::size_t>(passes[i].second)].gradients_of_pass.push_back(gradients[i]);
  }
}

void count_collectives(const Trace& trace, Summaries& summaries) {
  for (const Communication& communication : trace.communications) {
    if (!communication.iteration) continue;
    IterationSummary& summary = summaries[static_cast<std::size_t>(*communication.iteration)];
    ++summary.collectives[communication.collective];
    if (communication.collective != CollectiveKind::kAllReduce || !communication.kernel) continue;
    const Kernel& kernel = trace.kernels[*communication.kernel];
    const bool forward =
        kernel.launch && summary.backward_launch && kernel.launch->start < *summary.backward_launch;
    const bool large =
        !communication.in_elements || communication.in_elements->count() >= kActivationElements;
    if (forward && large) ++summary.forward_all_reduces;
  }
}

std::int64_t total(const Trace& trace, CollectiveKind kind) {
  return std::count_if(
      trace.communications.begin(), trace.communications.end(),
      [&](const Communication& communication) { return communication.collective == kind; });
}

std::int64_t iterations_with(const Summaries& summaries, CollectiveKind kind) {
  return std::count_if(summaries.begin(), summaries.end(), [&](const IterationSummary& summary) {
    return summary.backward_launch && summary.collectives.count(kind) > 0;
  });
}

void find_fsdp(const ProfileRecords& records, const Trace& trace, std::vector<Parallelism>& found) {
  for (const auto& [mark, times] : records.sharding_marks) {
    if (mark.find("Pipeline") != std::string::npos) continue;
    found.push_back({"fsdp", fmt::format("{} operators named `{}`", times, mark)});
    return;
  }
  const std::int64_t scatters = total(trace, CollectiveKind::kReduceScatter);
  const std::int64_t gathers = total(trace, CollectiveKind::kAllGather);
  if (scatters > 0 && gathers > 0) {
    found.push_back(
        {"fsdp",
         fmt::format("{} reduce-scatters and {} all-gathers, as FSDP and ZeRO make of sharded "
                     "parameters",
                     scatters, gathers)});
  }
}

void find_compiled(const ProfileRecords& records, const Trace& trace,
                   std::vector<Parallelism>& found) {
  const std::int64_t reduces = total(trace, CollectiveKind::kAllReduce);
  if (records.compiled.empty() || reduces == 0) return;
  found.push_back(
      {"compiled-ddp",
       fmt::format("CompiledFunctionBackward in the backward pass, and {} all-reduces", reduces)});
}

void find_no_sync(const Summaries& summaries, std::vector<Parallelism>& found) {
  for (const IterationSummary& summary : summaries) {
    const auto& passes = summary.gradients_of_pass;
    const bool equal =
        passes.size() > 1 && std::all_of(passes.begin(), passes.end(), [&](std::int64_t gradients) {
          return gradients == passes.front();
        });
    if (!equal) continue;
    found.push_back(
        {"no-sync", fmt::format("an iteration holds {} backward passes of {} gradients each",
                                passes.size(), passes.front())});
    return;
  }
  const std::int64_t with = iterations_with(summaries, CollectiveKind::kAllReduce);
  const std::int64_t all = std::count_if(
      summaries.begin(), summaries.end(),
      [](const IterationSummary& summary) { return !summary.gradients_of_pass.empty(); });
  if (with > 0 && with < all) {
    found.push_back(
        {"no-sync", fmt::format("{} of {} backward passes have no all-reduce", all - with, all)});
  }
}

void find_tensor_parallel(const Summaries& summaries, std::vector<Parallelism>& found) {
  std::int64_t iterations = 0;
  std::int64_t most = 0;
  for (const IterationSummary& summary : summaries) {
    if (summary.forward_all_reduces >= 2) ++iterations;
    most = std::max(most, summary.forward_all_reduces);
  }
  if (iterations == 0) return;
  found.push_back(
      {"tensor-parallel",
       fmt::format(
           "up to {} all-reduces of {} elements or more in the forward pass of {} iterations", most,
           kActivationElements, iterations)});
}

void find_point_to_point(const ProfileRecords& records, const Trace& trace,
                         std::vector<Parallelism>& found) {
  for (const auto& [mark, times] : records.sharding_marks) {
    if (mark.find("Pipeline") == std::string::npos) continue;
    found.push_back({"pipeline-parallel", fmt::format("{} operators named `{}`", times, mark)});
    return;
  }
  const std::int64_t sends = total(trace, CollectiveKind::kSendReceive);
  if (sends == 0) return;
  const auto told = [](const CommunicationRecord& record) {
    const std::string& name = record.message.collective;
    return name.find("send") != std::string::npos || name.find("recv") != std::string::npos;
  };
  const bool named =
      std::any_of(records.communication_ops.begin(), records.communication_ops.end(), told) ||
      std::any_of(records.annotations.begin(), records.annotations.end(), told) ||
      std::any_of(records.messages.begin(), records.messages.end(),
                  [](const CommunicationArgs& message) {
                    return message.collective.find("send") != std::string::npos ||
                           message.collective.find("recv") != std::string::npos;
                  });
  if (named) {
    found.push_back(
        {"pipeline-parallel", fmt::format("{} sends and receives between ranks", sends)});
  } else {
    found.push_back(
        {"point-to-point",
         fmt::format("{} SendRecv kernels; the trace does not tell whether they are sends and "
                     "receives or an all-to-all",
                     sends)});
  }
}

}  // namespace

void find_parallelism(const ProfileRecords& records, Trace& trace) {
  Summaries summaries(trace.iterations.size());
  count_passes(records, trace, summaries);
  count_collectives(trace, summaries);
  find_fsdp(records, trace, trace.parallelism);
  find_compiled(records, trace, trace.parallelism);
  find_no_sync(summaries, trace.parallelism);
  find_tensor_parallel(summaries, trace.parallelism);
  find_point_to_point(records, trace, trace.parallelism);
  if (const std::int64_t exchanges = total(trace, CollectiveKind::kAllToAll); exchanges > 0) {
    trace.parallelism.push_back(
        {"model-parallel-embeddings", fmt::format("{} all-to-all exchanges", exchanges)});
  }
}

}  // namespace gradwire
