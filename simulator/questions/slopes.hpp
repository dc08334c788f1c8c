#pragma once

#include <functional>
#include <optional>

#include "simulator/scenario/scenario.hpp"

namespace gradwire {

/// How backward plus synchronisation answers a small step of one input, in milliseconds per unit
/// of the input: below 0 where more of the input makes it faster.
struct Slope {
  std::optional<double> less;  ///< towards less of the input; absent where there is no less
  double more = 0.0;           ///< towards more of it

  /// Over both sides.
  double central() const { return less ? (*less + more) / 2.0 : more; }
  /// Whether the two sides differ by more than kKink of the larger: another op or link takes over
  /// right here, and each side holds on its own.
  bool has_kink() const;
};

/// Sides that differ by less than this fraction differ by curvature alone: a step is a thousandth.
inline constexpr double kKink = 0.01;

/// The slopes of one scenario at its own inputs, each with all other inputs as they are.
struct Slopes {
  Slope ms_per_gbps;  ///< bandwidth of every NIC; trunks, as parts of it, grow along
  Slope ms_per_us;    ///< latency of a message between nodes
  /// Of encoding and decoding together, undisturbed, shared out as they are; absent where nothing
  /// is encoded.
  std::optional<Slope> ms_per_encode_ms;
  Slope ms_per_compute_percent;  ///< of the backward pass; the host launches as before
  /// Of the bytes on every link, elements not rounded to whole ones.
  Slope ms_per_payload_percent;
  std::optional<Seconds> encode_decode;  ///< what a step of encoding is a part of
};

/// Backward plus synchronisation by the recurrence where it is exact, else by SimGrid: where links
/// are shared, and for overlapped compression on uneven ranks.
Seconds exact_time(const Scenario& scenario);

/// By steps of a thousandth to both sides, each a simulation. Throws as `estimate`.
Slopes measure_slopes(const Scenario& scenario);

}  // namespace gradwire
