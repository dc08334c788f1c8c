#include "simulator/engine/recurrence/ring_paths.hpp"

#include <algorithm>
#include <cmath>

namespace gradwire {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

// Paths that differ by less, of the whole, are one: rounding makes as much of equal ones. Each step
// can lose as much, so that 65 536 ranks end at most some 1e-8 too early; what tests find is 1e-13.
constexpr double kSame = 1e-14;

// More pieces than one for so many ranks, and round after round is quicker.
constexpr std::size_t kRanksOfAPiece = 16;

}  // namespace

bool RingPaths::play(int rounds, const std::vector<double>& bytes,
                     const std::vector<double>& seconds_per_byte, double latency,
                     std::vector<double>& times) {
  rounds_ = rounds;
  begin(bytes);
  const auto n = static_cast<int>(times.size());
  std::vector<double> ends(times.size(), kNever);
  double cost_before = 0.0;
  // The ring unrolled: every rank starts in the first turn, and paths end up to two turns later.
  for (int step = 0; step < n + rounds; ++step) {
    const auto rank = static_cast<std::size_t>(step % n);
    const double cost = seconds_per_byte[rank];
    next_.clear();
    maximum_ = kNever;
    if (step < n) {
      maximum_ = times[rank] + cost * sum(step);
      next_.push_back({step, step, bytes[rank], maximum_, cost});
    }
    go_on(step, cost_before, cost);
    pieces_.swap(next_);
    if (pieces_.size() > times.size() / kRanksOfAPiece) return false;
    cost_before = cost;
    const Piece& last = pieces_.back();
    ends[rank] = std::max(ends[rank], last.value - last.base * sum(step - rounds));
  }
  for (std::size_t rank = 0; rank < times.size(); ++rank) times[rank] = ends[rank] + latency;
  return true;
}

/// Left of chunk 0 nobody starts.
void RingPaths::begin(const std::vector<double>& bytes) {
  const auto n = static_cast<int>(bytes.size());
  const auto bytes_of = [&](int chunk) {
    return bytes[static_cast<std::size_t>((chunk % n + n) % n)];
  };
  double sum = 0.0;
  sums_.clear();
  for (int chunk = -rounds_; chunk < n; ++chunk) sums_.push_back(sum += bytes_of(chunk));
  next_.clear();
  for (int chunk = -1; chunk >= -rounds_; --chunk) {
    append({chunk, chunk, bytes_of(chunk), kNever, 0.0});
  }
  pieces_.swap(next_);
}

/// From M of the rank before to M of `rank`: what the move there costs, then the maximum from the
/// right. Chunks whose round is behind the last one fall out.
void RingPaths::go_on(int rank, double cost_before, double cost) {
  for (Piece& piece : pieces_) {
    if (piece.high < rank - rounds_) return;
    piece.low = std::max(piece.low, rank - rounds_);
    piece.value += cost_before * piece.bytes;
    if (cost > piece.base) {  // rises from left to right: its right end covers all of it
      piece.value += (cost - piece.base) * sum(piece.high);
      piece.base = cost;
    }
    append_under_maximum(piece, cost);
  }
}

void RingPaths::append_under_maximum(const Piece& piece, double cost) {
  const double slope = cost - piece.base;
  const double at_low = piece.value + (slope == 0.0 ? 0.0 : slope * sum(piece.low));
  if (at_low <= maximum_ * (1.0 + kSame)) {
    return append({piece.low, piece.high, piece.bytes, maximum_, cost});
  }
  const double at_high = piece.value + (slope == 0.0 ? 0.0 : slope * sum(piece.high));
  if (at_high >= maximum_) {
    append(piece);
  } else {
    const double covered = (maximum_ - at_high) / (-slope * piece.bytes);
    const int cut = std::max(piece.low, piece.high - static_cast<int>(std::ceil(covered)));
    append({cut + 1, piece.high, piece.bytes, maximum_, cost});
    append({piece.low, cut, piece.bytes, piece.value, piece.base});
  }
  maximum_ = at_low;
}

/// Left of what is there; joined with it where they go on alike.
void RingPaths::append(const Piece& piece) {
  if (!next_.empty()) {
    Piece& right = next_.back();
    if (right.value == piece.value && right.base == piece.base && right.bytes == piece.bytes) {
      right.low = piece.low;
      return;
    }
  }
  next_.push_back(piece);
}

}  // namespace gradwire
