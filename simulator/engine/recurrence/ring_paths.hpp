#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace gradwire {

/// The ring recurrence of ring_kernel.hpp, all rounds at once: in time that grows with the ranks
/// and not with ranks times rounds.
///
/// When a rank ends is the longest of the paths that lead there. A path is at rank r with chunk q
/// in round r - q, which costs it bytes(q) * seconds_per_byte(r) beside the latency that every path
/// pays in every round; then it goes on to rank r+1 with the same chunk or stays for chunk q-1.
/// With Q(q) the bytes of all chunks up to q, a stay at r from q' to q takes seconds_per_byte(r) *
/// (Q(q') - Q(q)), so that
///   M_r(q) = (longest path to r and q) + seconds_per_byte(r) * Q(q)
/// is the largest over q' >= q of M_(r-1)(q') + (seconds_per_byte(r) - seconds_per_byte(r-1)) Q(q')
/// + seconds_per_byte(r-1) bytes(q'), and of start(r) + seconds_per_byte(r) Q(r) where q <= r.
/// M_r falls from left to right in pieces that are linear in Q: one for each run of equal chunks
/// and one more for each rank that starts later than all ranks before it that still matter, a
/// handful where ranks differ at random. Starts that fall from rank to rank would have a piece a
/// rank.
class RingPaths {
 public:
  /// `times` holds when each rank starts (seconds) and receives when each ends, `rounds` (1 or
  /// more) later. `latency` is that of all rounds together. `bytes` by chunk, `seconds_per_byte` of
  /// the edge i -> i+1; one each a rank. False, with `times` as they were, where there are so many
  /// pieces that playing round by round is quicker.
  bool play(int rounds, const std::vector<double>& bytes,
            const std::vector<double>& seconds_per_byte, double latency,
            std::vector<double>& times);

 private:
  /// M_r(q) = value + (seconds_per_byte(r) - base) * Q(q) for low <= q <= high; chunks of `bytes`.
  struct Piece {
    int low = 0;
    int high = 0;
    double bytes = 0.0;
    double value = 0.0;
    double base = 0.0;
  };

  double sum(int chunk) const { return *(sums_.begin() + (chunk + rounds_)); }
  void begin(const std::vector<double>& bytes);
  void go_on(int rank, double cost_before, double cost);
  void append(const Piece& piece);
  void append_under_maximum(const Piece& piece, double cost);

  int rounds_ = 0;
  std::vector<double> sums_;   // Q, from chunk -rounds on
  std::vector<Piece> pieces_;  // of M, from right to left
  std::vector<Piece> next_;
  double maximum_ = -std::numeric_limits<double>::infinity();  // of next_
};

}  // namespace gradwire
