#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/units.hpp"

namespace gradwire {

/// How long one size took.
struct SizedTime {
  Bytes size{0};
  Seconds time{0};
};

/// |fitted - measured| / measured over the points of a piece.
struct RelativeResiduals {
  double median = 0.0;  ///< mean of the two in the middle when the count is even
  double p90 = 0.0;     ///< nearest rank
  double largest = 0.0;
  Bytes largest_at{0};
};

/// time = latency + size * seconds_per_byte, from the size of `first` to that of `last`.
struct LinePiece {
  Bytes first{0};
  Bytes last{0};
  int points = 0;
  Seconds latency{0};             ///< not negative
  double seconds_per_byte = 0.0;  ///< not negative
  /// Standard errors from the scatter of the points; absent with two points, which a line always
  /// meets, and of a figure that is at its bound 0.
  std::optional<Seconds> latency_error;
  std::optional<double> seconds_per_byte_error;
  RelativeResiduals residuals;

  Seconds time_of(Bytes size) const {
    return latency + Seconds{seconds_per_byte * static_cast<double>(size.count())};
  }
};

/// A piece has at least so many sizes: through two a line always goes.
constexpr std::size_t kLeastPointsOfPiece = 3;
constexpr std::size_t kMostPieces = 6;
/// Squares of the search's memory; an output of nccl-tests has some 30.
constexpr std::size_t kMostFittedSizes = 2000;
/// Relative scatter that is no evidence for a further piece: nccl-tests print three to five
/// digits of a time.
constexpr double kPrintedPrecision = 1e-3;

/// The lines that fit best: for each number of pieces the breakpoints with the least sum of squared
/// relative residuals, exactly, by dynamic programming; then the number of pieces with the least
/// Bayesian information criterion, n ln(sum / n) + (3 pieces - 1) ln n (Schwarz 1978), where
/// sum / n is at least kPrintedPrecision squared. Each line is the one of least squared relative
/// residuals with latency and slope not negative; pieces need not meet, since a change of protocol
/// may jump. Fewer than 2 * kLeastPointsOfPiece points give one piece.
///
/// `points`: 2 to kMostFittedSizes, sizes strictly ascending, sizes and times above zero
/// (GW_CHECK).
std::vector<LinePiece> fit_pieces(const std::vector<SizedTime>& points);

}  // namespace gradwire
