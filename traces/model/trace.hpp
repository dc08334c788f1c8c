#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/collective_kind.hpp"
#include "base/dtype.hpp"
#include "base/units.hpp"

namespace gradwire {

/// What was seen in one process: plain values, integer nanoseconds counted from `Trace::base_time`,
/// nothing guessed. Absence is std::optional (or an empty string or vector where noted).

enum class KernelCategory { kCompute, kCommunication, kMemcpy, kMemset };

/// The host call that put a kernel on its stream.
struct Launch {
  Nanoseconds start{0};
  Nanoseconds duration{0};
  std::int64_t thread = 0;

  bool operator==(const Launch&) const = default;
};

/// One piece of device work: a kernel, a copy or a memset.
struct Kernel {
  std::uint32_t name = 0;  ///< index into Trace::names
  std::int32_t device = 0;
  StreamId stream{0};
  KernelCategory category = KernelCategory::kCompute;
  Nanoseconds start{0};
  Nanoseconds duration{0};
  std::optional<std::int64_t> correlation;
  std::optional<Launch> launch;  ///< absent when the capture holds no launch of this kernel
  std::optional<std::int32_t>
      iteration;             ///< index into Trace::iterations; a kernel belongs where its launch is
  bool in_backward = false;  ///< launched by the backward pass; communication kernels never are
  Bytes bytes{0};            ///< copied or set; 0 for kernels
  /// Of a CUDA graph's node, the same in every replay; absent when no graph launched the kernel.
  std::optional<std::uint64_t> graph_node;

  Nanoseconds end() const { return start + duration; }
  bool operator==(const Kernel&) const = default;
};

/// One communication as the trace describes it. Elements are those of one rank.
struct Communication {
  CollectiveKind collective = CollectiveKind::kOpaque;
  std::optional<Elements> in_elements;
  std::optional<Elements> out_elements;
  DType dtype = DType::kUnknown;
  std::optional<std::int32_t> group_size;
  std::optional<std::uint64_t> kernel;  ///< index into Trace::kernels
  std::optional<std::int32_t> iteration;

  bool operator==(const Communication&) const = default;
};

/// The gradient of one parameter in one iteration becomes ready.
struct Gradient {
  std::int32_t iteration = 0;
  std::string parameter;            ///< empty when the trace does not tell
  std::vector<std::int64_t> shape;  ///< empty when unknown (or a scalar: then elements is 1)
  std::optional<Elements> elements;
  DType dtype = DType::kUnknown;
  Nanoseconds ready{0};  ///< on the device
  std::int32_t device = 0;
  /// Ready with a kernel that accumulates it alone. Else its buffer was taken over, and it is ready
  /// with the last kernel that was launched before.
  bool own_kernel = false;

  bool operator==(const Gradient&) const = default;
};

struct IterationMark {
  std::int64_t number = 0;  ///< as the profiler counts it
  Nanoseconds start{0};     ///< on the host, when marked by the profiler
  Nanoseconds end{0};
  bool representative = false;  ///< the one with the median backward span
  bool inferred = false;        ///< found by period, not marked by the profiler
  bool complete = true;

  bool operator==(const IterationMark&) const = default;
};

/// Extent of one iteration's backward pass on the device: first kernel start to last kernel end.
struct BackwardMark {
  std::int32_t iteration = 0;
  Nanoseconds start{0};
  Nanoseconds end{0};

  bool operator==(const BackwardMark&) const = default;
};

struct DeviceFacts {
  std::int32_t index = 0;
  std::string name;
  std::optional<std::int32_t> multiprocessors;
  std::optional<Bytes> memory;
  std::string compute_capability;  ///< "7.0"; empty when unknown

  bool operator==(const DeviceFacts&) const = default;
};

struct Fact {
  std::string name;
  std::string value;

  bool operator==(const Fact&) const = default;
};

/// How a list's times can be known; "given" is a list that names no source.
inline constexpr std::array<std::string_view, 6> kStandings = {"measured", "published", "recalled",
                                                               "derived",  "assumed",   "given"};

struct Provenance {
  std::string source;
  std::string licence;
  std::string made_by;
  std::vector<std::string> left_out;
  /// How the times of a list without kernels are known: one of kStandings; empty for a trace, whose
  /// times were recorded.
  std::string standing;
  std::string basis;  ///< one sentence: what those times rest on; empty when not stated

  bool operator==(const Provenance&) const = default;
};

/// A way of training that is not plain data-parallel DDP, and what in the trace shows it.
struct Parallelism {
  std::string name;  ///< "fsdp", "compiled-ddp", "no-sync", "tensor-parallel", "pipeline-parallel"
  std::string evidence;  ///< what was found, for the user

  bool operator==(const Parallelism&) const = default;
};

struct Trace {
  Nanoseconds base_time{0};  ///< epoch time of the trace's zero; 0 when unknown
  std::optional<std::int32_t> rank;
  std::optional<std::int32_t> world_size;
  /// Samples an iteration on this rank; absent where the source does not state it.
  std::optional<std::int64_t> batch_size;
  std::vector<DeviceFacts> devices;
  std::vector<Fact> software;
  Provenance provenance;
  std::vector<Parallelism> parallelism;

  std::vector<std::string> names;
  /// Sorted by start; equal starts keep the order of the source. Empty for a list of gradients.
  std::vector<Kernel> kernels;
  std::vector<Communication> communications;
  std::vector<Gradient> gradients;  ///< by iteration, then in gradient-ready order
  std::vector<IterationMark> iterations;
  std::vector<BackwardMark> backwards;  ///< by iteration

  bool operator==(const Trace&) const = default;
};

/// "compute", "communication", "memcpy", "memset".
std::string_view name_of(KernelCategory category);

}  // namespace gradwire
