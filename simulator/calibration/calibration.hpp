#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/collective_kind.hpp"
#include "base/units.hpp"
#include "platforms/model/cluster.hpp"
#include "simulator/calibration/collective_table.hpp"
#include "simulator/calibration/iperf_run.hpp"
#include "simulator/calibration/piecewise_fit.hpp"

namespace gradwire {

/// Which half of nccl-tests' rows is fitted.
enum class TablePlacement { kOutOfPlace, kInPlace };

/// A table with what it is of.
struct IdentifiedTable {
  CollectiveTable table;
  TableIdentity identity;
};

/// All tables of one collective among the same ranks on the same nodes, fitted together.
struct CollectiveFit {
  CollectiveKind kind = CollectiveKind::kOpaque;
  int ranks = 0;
  int nodes = 0;                     ///< 0: not known
  std::vector<std::string> sources;  ///< "file:line" of each table
  std::vector<SizedTime> points;     ///< median of the rows of a size
  std::vector<LinePiece> pieces;     ///< empty with one size
  std::vector<std::string> notes;    ///< what was left out, inferred, or cannot be determined

  /// Bus bandwidth in the limit of large messages of that piece; absent when its slope is 0.
  std::optional<BitsPerSecond> bus_bandwidth(const LinePiece& piece) const;
  /// A piece's latency over the messages that follow one another: 2(n-1) of an all-reduce as ring,
  /// n-1 of the other rings, chains and exchanges, 1 of a send-receive.
  Seconds round_latency(const LinePiece& piece) const;
};

/// A link of the cluster model by the piece of the largest messages.
struct LinkEstimate {
  LinkSpec link;
  std::string bandwidth_source;
  std::string latency_source;
  bool latency_known = false;  ///< else 0 stands for it
};

struct Calibration {
  std::vector<CollectiveFit> fits;  ///< by collective, nodes, ranks
  std::vector<IperfRun> runs;
  int nodes = 0;  ///< of what `nic` was seen on, 0 when nothing was seen between nodes
  int gpus_per_node = 0;
  std::optional<LinkEstimate> nic;    ///< all NICs of a node as one
  std::optional<LinkEstimate> intra;  ///< of the tables of one node
  std::vector<std::string> notes;     ///< of all together: assumptions, what is undetermined
};

/// Fits every collective and rank count, and takes the links from them: `nic` from the all-reduce
/// (else the first other collective) with the most ranks over several nodes, else from the iperf3
/// run with the least bandwidth; `intra` the same over one node. Throws InputError when no table
/// has a time of `placement` left, or a table has more sizes than kMostFittedSizes.
Calibration calibrate(const std::vector<IdentifiedTable>& tables, std::vector<IperfRun> runs,
                      TablePlacement placement);

}  // namespace gradwire
