#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/collective_kind.hpp"
#include "base/units.hpp"

namespace gradwire {

/// What a collective moves. `elements` is the buffer of one rank: the vector that is all-reduced,
/// reduce-scattered or broadcast; for all-gather what each rank contributes.
struct CollectiveCall {
  CollectiveKind kind = CollectiveKind::kAllReduce;
  Elements elements{0};
  Bytes element_size{4};

  bool operator==(const CollectiveCall&) const = default;
};

/// One message of one round.
struct Message {
  int from = 0;
  int to = 0;
  Elements elements{0};

  bool operator==(const Message&) const = default;
};

struct Edge {
  int from = 0;
  int to = 0;

  bool operator==(const Edge&) const = default;
};

/// Consecutive rounds in which the same edges are busy. A phase over links of one speed that every
/// rank enters at once lasts rounds * alpha + elements * element size / bandwidth.
struct Phase {
  int rounds = 0;
  Elements elements_per_round{0};  ///< the largest message of a round
  Elements elements{0};            ///< along the longest chain of messages that wait for each other
  std::vector<Edge> edges;         ///< every edge carries one message a round (pipeline fill apart)
};

/// Rounds in which every rank i sends to i+1 the chunk (i - round) mod ranks: what ring algorithms
/// consist of.
struct RingRounds {
  int rounds = 0;
  std::vector<Elements> chunks;  ///< by chunk index, one a rank
};

/// One collective among `ranks` ranks as rounds of messages. A rank enters round k+1 once its
/// messages of round k are sent and received. Immutable.
class Schedule {
 public:
  Schedule(CollectiveCall call, int ranks) : call_(call), ranks_(ranks) {}
  virtual ~Schedule() = default;

  const CollectiveCall& call() const { return call_; }
  int ranks() const { return ranks_; }

  virtual int rounds() const = 0;
  /// Appends the messages of `round` (0 .. rounds-1), at most one sent and one received by a rank.
  virtual void append_messages(int round, std::vector<Message>& out) const = 0;
  virtual std::vector<Phase> phases() const = 0;
  /// Elements that `rank` sends in total.
  virtual Elements sent_by(int rank) const = 0;

  /// Time over links of one speed, every rank starting at once, whole-element chunks; `alpha` is
  /// paid a round.
  virtual Seconds closed_form(Seconds alpha, BitsPerSecond bandwidth) const = 0;
  /// The textbook form with real-valued chunks; equal to `closed_form` where the chunks divide the
  /// elements.
  virtual Seconds textbook_form(Seconds alpha, BitsPerSecond bandwidth) const = 0;

  /// The rounds in ring form, for engines that can exploit it; null when the schedule is not a
  /// ring.
  virtual const RingRounds* ring() const { return nullptr; }

 private:
  CollectiveCall call_;
  int ranks_;
};

}  // namespace gradwire
