#pragma once

#include <string_view>
#include <vector>

#include "base/collective_kind.hpp"
#include "base/units.hpp"
#include "platforms/model/cluster.hpp"

namespace gradwire {

/// How NCCL hands data from GPU to GPU: a flag beside every 4 bytes (few latency, half the bytes),
/// beside every 120, or one for a whole chunk.
enum class NcclProtocol { kLl, kLl128, kSimple };

/// "LL", "LL128", "Simple".
std::string_view name_of(NcclProtocol protocol);

/// Data bytes over bytes on the wire: 1/2, 120/128, 1.
double wire_efficiency(NcclProtocol protocol);

enum class GpuGeneration { kVolta, kAmpere, kHopper };

/// Throws InputError listing volta, ampere and hopper when `name` is none.
GpuGeneration gpu_generation_from_name(std::string_view name);

/// What NCCL's model asks of a job.
struct NcclJob {
  int ranks = 1;
  int nodes = 1;
  /// Of all channels together: the NICs of a node where there are several nodes, else the ring
  /// inside the node.
  BitsPerSecond bandwidth;
  /// NCCL's search finds them; two a NIC and a dozen or more over NVLink are common (recalled).
  int channels = 2;
  bool nvlink = true;  ///< inside a node; else PCIe
  GpuGeneration generation = GpuGeneration::kAmpere;
  bool amd_processor = false;
  bool ll128 = true;  ///< NVLink inside the node and NICs behind the GPUs' PCIe switches
};

/// The job of `ranks` ranks that fill the nodes of `cluster` in order, its GPUs' generation by
/// their name (Ampere for others than V100, H100, H200).
NcclJob nccl_job(const Cluster& cluster, int ranks);

/// One algorithm with one protocol, as a latency and a bandwidth.
struct NcclPrediction {
  std::string_view algorithm;  ///< of the registry
  NcclProtocol protocol = NcclProtocol::kSimple;
  Seconds latency{0};
  BitsPerSecond bandwidth;  ///< algorithm bandwidth
  Seconds time{0};          ///< of the size that was asked for
};

/// What NCCL's tuning model says of every ring and tree that it could take for `size` bytes as
/// nccl-tests count them, in the order in which NCCL looks at them. The tables and formulas are
/// those of src/graph/tuning.cc of NVIDIA/nccl at b6475625 (with MNNVL, so about 2.20; inferred);
/// its CollNet and NVLS are left out, the search for rings is replaced by `NcclJob`, the NIC's own
/// latency is 0, and rings of a broadcast use the same channels everywhere. Throws InputError for
/// what NCCL has no model of (all-to-all).
std::vector<NcclPrediction> nccl_predictions(CollectiveKind kind, Bytes size, const NcclJob& job);

/// The fastest of them, the first where several are: what NCCL takes.
NcclPrediction nccl_choice(CollectiveKind kind, Bytes size, const NcclJob& job);

}  // namespace gradwire
