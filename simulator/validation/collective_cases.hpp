#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/collective_kind.hpp"
#include "base/units.hpp"
#include "simulator/collectives/nccl_selection.hpp"

namespace gradwire {
namespace schema {
class ValidationSet;
}

/// What one message takes, latency + bytes / bandwidth, fitted to measurements.
struct MessageLine {
  Bytes from{0};       ///< smallest message that it was fitted to
  Seconds latency{0};  ///< of a double tree: of one hop
  /// Of one NIC; absent where times did not grow with size, so that it is not determined.
  std::optional<BitsPerSecond> bandwidth;
};

/// What collectives were measured on, known by rows that no case scores.
struct CollectiveNetwork {
  std::string name;
  std::string source;                            ///< which rows, and how they were fitted
  std::optional<BitsPerSecond> intra_bandwidth;  ///< of a GPU inside its node; absent: no bound
  std::optional<Seconds>
      intra_latency;  ///< of a message there; absent: the line's holds everywhere
  std::string intra_source;
  GpuGeneration generation = GpuGeneration::kAmpere;  ///< for NCCL's choice of an algorithm
  std::vector<MessageLine> ring;    ///< by `from`, at least one; the first holds below it too
  std::optional<MessageLine> tree;  ///< of NCCL's double tree; absent: rings only
};

/// A collective that somebody timed.
struct CollectiveCase {
  std::string name;
  std::size_t network = 0;  ///< index into ValidationSet::collective_networks
  CollectiveKind kind = CollectiveKind::kAllReduce;
  Bytes size{0};  ///< as nccl-tests count it: the larger of a rank's two buffers
  int ranks = 0;
  int gpus_per_node = 1;
  int nics = 1;  ///< of a node, each as fast as the lines say
  Seconds measured{0};
  std::string source;

  int nodes() const { return ranks / gpus_per_node; }
};

/// Throws InputError naming file, network and field: no ring line, a figure without source, lines
/// that are not in the order of their messages.
std::vector<CollectiveNetwork> read_collective_networks(const schema::ValidationSet& message,
                                                        const std::filesystem::path& file);

/// The same for the cases, with `networks` to look their networks up in: an unknown network, ranks
/// that do not fill nodes or are fewer than two, a size that is no whole number of floats.
std::vector<CollectiveCase> read_collective_cases(const schema::ValidationSet& message,
                                                  const std::vector<CollectiveNetwork>& networks,
                                                  const std::filesystem::path& file);

}  // namespace gradwire
