#include "simulator/report/answer_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/unit_text.hpp"

namespace gradwire {

std::string answer_sentence(int workers, BitsPerSecond bandwidth, const IterationResult& result,
                            const std::string& compressor) {
  if (workers == 1) {
    return fmt::format("1 worker: {} for the backward pass; nothing to synchronise.",
                       format_duration(result.backward_sync));
  }
  return fmt::format(
      "{} workers at {}{}: {} for the backward pass plus synchronisation, {} of it waiting for the "
      "network.",
      workers, format_bandwidth(bandwidth), compressor.empty() ? "" : " with " + compressor,
      format_duration(result.backward_sync), format_duration(result.breakdown.exposed()));
}

std::string room_sentence(const IterationResult& result) {
  const Seconds room = result.backward_sync - result.breakdown.compute;
  if (result.network.collectives == 0) return {};
  return fmt::format(
      "Room for a compressor: at most {} ({:.1f} %), if encoding and decoding cost nothing.",
      format_duration(room), room / result.backward_sync * 100.0);
}

std::string reason_sentence(const IterationResult& result) {
  const auto [collectives, communication, stalled] = result.network;
  if (collectives == 0) return "Only compute: one rank has nothing to exchange.";
  const Breakdown& parts = result.breakdown;
  const Seconds computed = parts.compute + parts.overlap_slowdown;
  Seconds hidden = communication - parts.exposed();
  if (hidden < Seconds{1e-9}) hidden = Seconds{0};  // what rounding leaves
  const bool network = communication > computed;
  const std::string down =
      stalled == Seconds{0}
          ? std::string{}
          : fmt::format(" They stall for {} because a link that they need is down.",
                        format_duration(stalled));
  return fmt::format(
      "{} collectives keep the network busy for {}; {} of that hides behind {} of compute, the "
      "rest is exposed: {} bounds this iteration.{}",
      collectives, format_duration(communication), format_duration(hidden),
      format_duration(computed), network ? "the network" : "compute", down);
}

std::string difference_text(double speedup) {
  const double saved = 1.0 - 1.0 / speedup;
  return fmt::format("{:.1f} % {}", std::abs(saved) * 100.0, saved < 0.0 ? "slower" : "faster");
}

}  // namespace gradwire
