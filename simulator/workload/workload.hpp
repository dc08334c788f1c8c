#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/dtype.hpp"
#include "base/units.hpp"

namespace gradwire {

/// How the backward pass of a trace is played.
enum class Replay {
  kRecorded,   ///< as recorded, idle gaps between kernels included
  kCompacted,  ///< back to back: the gaps (launch-bound host, profiler overhead) are taken out
};

/// A parameter's gradient and when it is ready, counted from the start of the backward pass.
struct ReadyGradient {
  std::string parameter;            ///< empty when the trace does not tell
  std::vector<std::int64_t> shape;  ///< empty when only the element count is known
  Elements elements{0};
  DType dtype = DType::kFloat32;
  std::int32_t device = 0;
  Seconds ready{0};
  /// When the host launches the first kernel behind this gradient, so that it has handed the
  /// gradient over; at most `ready`, negative where it runs ahead of the whole backward pass.
  /// Absent when the trace holds no launches.
  std::optional<Seconds> launched;

  Bytes bytes() const { return elements * element_size(dtype).value(); }
};

/// The device's time in the backward pass for one class of kernels (kernel_class.hpp).
struct KernelClassTime {
  std::string name;             ///< "convolution"
  Seconds total{0};             ///< in the whole pass; the classes sum to Workload::backward_busy
  std::vector<Seconds> before;  ///< by gradient: until it is ready

  bool operator==(const KernelClassTime&) const = default;
};

/// How far the compute time may be from the workload's own, as a figure from elsewhere says it.
struct ComputeBand {
  double low_factor = 1.0;   ///< on every compute time; at most 1
  double high_factor = 1.0;  ///< at least 1
  std::string basis;         ///< one sentence: which figure, its source and standing

  bool operator==(const ComputeBand&) const = default;
};

/// The backward pass of one iteration of a trace against that of the replayed one.
struct IterationFactor {
  std::int32_t iteration = 0;  ///< index into Trace::iterations
  double factor = 1.0;         ///< its length, as replayed, over the replayed one's; above 0

  bool operator==(const IterationFactor&) const = default;
};

/// What one rank does in one iteration; no machine, no rank count.
struct Workload {
  std::string name;         ///< of the trace, for people
  std::string device_name;  ///< "Tesla V100-DGXS-32GB"; empty when unknown
  Replay replay = Replay::kRecorded;
  /// In gradient-ready order: the one in which autograd hands them over, as the trace tells it.
  /// Their times on the device need not ascend where a backward pass uses several streams.
  std::vector<ReadyGradient> gradients;
  /// First backward kernel's start to last one's end, as replayed; without kernels as the trace
  /// states it.
  Seconds backward_span{0};
  /// Union of the backward kernels' intervals; absent when the trace holds no kernels.
  std::optional<Seconds> backward_busy;
  std::vector<KernelClassTime> kernel_classes;  ///< by name; empty when the trace holds no kernels
  /// Rest of an iteration (forward, optimiser, waiting for data), as recorded whatever the replay;
  /// absent if unknown.
  std::optional<Seconds> outside_backward;
  /// Of every complete iteration of the trace, the replayed one among them unless it is incomplete:
  /// how the same work varied on one device. In the trace's order.
  std::vector<IterationFactor> iteration_factors;
  /// Samples a rank and iteration that the times above belong to; absent when unknown.
  std::optional<std::int64_t> batch;
  /// How the times above are known: "measured" (kernels, as recorded), "published" (a list with a
  /// source), "derived" (scaled, or set from elsewhere), "given" (a list without a source), or what
  /// the list says of itself.
  std::string compute_standing;
  std::string compute_basis;                ///< the same as one sentence, with the source
  std::optional<ComputeBand> compute_band;  ///< absent when no other figure is known
  /// What a user must know before trusting an answer, one sentence each.
  std::vector<std::string> warnings;

  Elements total_elements() const;
  Bytes total_bytes() const;
};

}  // namespace gradwire
