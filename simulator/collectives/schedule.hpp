#pragma once

#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "base/collective_kind.hpp"
#include "base/units.hpp"
#include "platforms/model/cluster.hpp"

namespace gradwire {

/// What a collective moves. `elements` is the buffer of one rank: the vector that is all-reduced,
/// reduce-scattered, reduced, broadcast or cut up for all-to-all; for all-gather what each rank
/// contributes.
struct CollectiveCall {
  CollectiveKind kind = CollectiveKind::kAllReduce;
  Elements elements{0};
  Bytes element_size{4};

  bool operator==(const CollectiveCall&) const = default;
};

/// Who takes part in a collective.
struct Participants {
  Participants(int rank_count, int ranks_per_node = 1, int server_count = 1)
      : ranks(rank_count), per_node(ranks_per_node), servers(server_count) {}

  int ranks;
  int per_node;  ///< ranks of a node, which they fill in order; what goes by nodes looks at it
  int servers;   ///< of a parameter server, 1 .. ranks
};

/// One message of one round.
struct Message {
  int from = 0;
  int to = 0;
  Elements elements{0};
  /// Where in the collective's vector the message's elements begin; behind its end they go on at
  /// its beginning. The vector of an all-gather is all contributions in rank order, that of an
  /// all-to-all the sender's.
  Elements first{0};
  bool adds = false;  ///< the receiver adds them to its own; else they take their place

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
  std::vector<Edge> edges;         ///< every edge carries one message a turn (pipeline fill apart)
  int turns = 1;  ///< edges take turns: each is busy in one round of so many, a rank's in different
                  ///< ones
};

/// Rounds in which every rank i sends to i+1 the chunk (i - round) mod ranks: what ring algorithms
/// consist of.
struct RingRounds {
  int rounds = 0;
  std::vector<Elements> chunks;  ///< by chunk index, one a rank
  int adding = 0;                ///< rounds, the first ones, in which the receiver adds
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
  /// Appends the messages of `round` (0 .. rounds-1). A rank sends and receives at most one, but
  /// for the algorithms whose messages share links and say so (parameter server, direct).
  virtual void append_messages(int round, std::vector<Message>& out) const = 0;
  /// In order; their rounds sum to `rounds`.
  virtual std::vector<Phase> phases() const = 0;
  /// Elements that `rank` sends in total. What is here counts the messages.
  virtual Elements sent_by(int rank) const;

  /// Time over links of one speed, one a rank in each direction, every rank starting at once,
  /// whole-element chunks; `alpha` is paid a round.
  virtual Seconds closed_form(Seconds alpha, BitsPerSecond bandwidth) const = 0;
  /// The textbook form with real-valued chunks; equal to `closed_form` where the chunks divide the
  /// elements.
  virtual Seconds textbook_form(Seconds alpha, BitsPerSecond bandwidth) const = 0;

  /// The closed form where the ranks of a node share its NIC and reach each other over `intra`.
  /// What is here holds for one rank a node; the algorithms that go by nodes know better.
  virtual Seconds closed_form_on_nodes(const LinkSpec& nic, const LinkSpec& intra) const;

  /// No rank is done before the last one has come, whatever the messages say: something between
  /// the ranks waits for all of them.
  virtual bool waits_for_all() const { return false; }

  /// The rounds in ring form, for engines that can exploit it; null when the schedule is not a
  /// ring.
  virtual const RingRounds* ring() const { return nullptr; }

 private:
  CollectiveCall call_;
  int ranks_;
  mutable std::once_flag counted_;
  mutable std::vector<Elements> sent_;  // by rank; empty until it is asked for
};

}  // namespace gradwire
