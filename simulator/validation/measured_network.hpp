#pragma once

#include <optional>
#include <string>

#include "base/units.hpp"
#include "platforms/model/cluster.hpp"
#include "simulator/study/study_place.hpp"

namespace gradwire {
namespace schema {
class Network;
}

/// What a set's measurements were sent over, beside the rate of a case's links.
struct MeasuredNetwork {
  std::string name;    ///< empty for a set's only one
  Seconds latency{0};  ///< of one message
  std::string latency_source;
  double payload_efficiency = 1.0;  ///< share of the links' rate that payload gets
  std::string efficiency_source;
  /// The most payload that the software of a node sends, however fast its link; absent: no bound.
  std::optional<BitsPerSecond> host_cap;
  std::string host_cap_source;
  std::optional<LinkSpec> intra;  ///< between two GPUs of a node; absent where nodes have one
  std::string intra_source;
};

/// Throws InputError naming the field: no latency, a share outside (0, 1], a figure without source.
MeasuredNetwork read_measured_network(const schema::Network& message, const StudyPlace& place);

}  // namespace gradwire
