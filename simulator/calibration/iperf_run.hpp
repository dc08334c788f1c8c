#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.hpp"

namespace gradwire {

/// What one `iperf3 --json` saw between two hosts, all streams together.
struct IperfRun {
  std::string file;
  bool udp = false;
  int streams = 0;
  Seconds duration{0};
  BitsPerSecond received;                   ///< what arrived, payload of the transport: no headers
  std::vector<BitsPerSecond> intervals;     ///< without those that the run omits (-O)
  std::optional<std::int64_t> retransmits;  ///< absent where the sender's system does not count
  std::optional<Seconds> least_round_trip;  ///< of all streams, by the sender's TCP
  std::optional<Seconds> mean_round_trip;   ///< mean over streams: with the queues that it made
  std::optional<double> lost_share;         ///< of UDP's packets
  std::optional<Seconds> jitter;            ///< UDP's, as iperf3 defines it
  std::optional<BitsPerSecond> target;      ///< the rate that was asked for (-b), a stream
};

/// Reads the result of `iperf3 --json` (fields as iperf 3.7 to 3.16 write them, recalled: no file
/// of a known version was at hand). Throws InputError naming file and field: no JSON document, cut
/// off, an "error" of iperf3 itself, a field that is missing, of another type or negative, nothing
/// received, both directions at once (--bidir).
IperfRun read_iperf(const std::string& text, const std::string& file);

}  // namespace gradwire
