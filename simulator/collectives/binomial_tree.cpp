#include "simulator/collectives/binomial_tree.hpp"

#include <algorithm>

#include "simulator/collectives/chain_broadcast.hpp"
#include "simulator/collectives/power_of_two.hpp"
#include "simulator/collectives/reversed_schedule.hpp"
#include "simulator/collectives/ring.hpp"
#include "simulator/collectives/round_schedule.hpp"
#include "simulator/collectives/staged_schedule.hpp"

namespace gradwire {
namespace {

/// Rank 0 reaches all others: in every round each rank that has something sends to the rank half
/// way to the next one that has.
class BinomialTree : public RoundSchedule {
 public:
  using RoundSchedule::RoundSchedule;

  int rounds() const override { return doubling_rounds(ranks()); }

  void append_messages(int round, std::vector<Message>& out) const override {
    const int distance = 1 << (rounds() - 1 - round);
    for (int from = 0; from + distance < ranks(); from += 2 * distance) {
      out.push_back(message(from, from + distance, std::min(from + 2 * distance, ranks())));
    }
  }

 private:
  /// To `to`, which serves the ranks in front of `end`.
  virtual Message message(int from, int to, int end) const = 0;
};

class BinomialBroadcast : public BinomialTree {
 public:
  using BinomialTree::BinomialTree;

  Seconds closed_form(Seconds alpha, BitsPerSecond bandwidth) const override {
    return rounds() * (alpha + call().elements * call().element_size / bandwidth);
  }

  Seconds textbook_form(Seconds alpha, BitsPerSecond bandwidth) const override {
    return closed_form(alpha, bandwidth);  // nothing is cut in chunks
  }

 private:
  Message message(int from, int to, int) const override { return {from, to, call().elements}; }
};

class BinomialScatter : public BinomialTree {
 public:
  using BinomialTree::BinomialTree;

  Seconds closed_form(Seconds alpha, BitsPerSecond bandwidth) const override {
    // Rank 0, which sends everything but its own chunk, is the last to be done.
    const Elements sent = call().elements - before(1);
    return rounds() * alpha + sent * call().element_size / bandwidth;
  }

  Seconds textbook_form(Seconds alpha, BitsPerSecond bandwidth) const override {
    const Seconds whole = call().elements * call().element_size / bandwidth;
    return rounds() * alpha + whole * (static_cast<double>(ranks() - 1) / ranks());
  }

 private:
  Message message(int from, int to, int end) const override {
    return {from, to, before(end) - before(to), before(to)};
  }
  Elements before(int chunk) const { return elements_before(call().elements, ranks(), chunk); }
};

std::vector<int> in_order(int ranks) { return EqualNodes{1, ranks}.ranks_of(0); }

}  // namespace

std::unique_ptr<Schedule> make_binomial_broadcast(const CollectiveCall& call,
                                                  const Participants& who) {
  return std::make_unique<BinomialBroadcast>(call, who.ranks);
}

std::unique_ptr<Schedule> make_binomial_reduce(const CollectiveCall& call,
                                               const Participants& who) {
  return reversed(make_binomial_broadcast(call, who), CollectiveKind::kReduce);
}

std::unique_ptr<Schedule> make_chain_reduce(const CollectiveCall& call, const Participants& who) {
  return reversed(make_chain_broadcast(call, who), CollectiveKind::kReduce);
}

std::unique_ptr<Schedule> make_scatter_all_gather_broadcast(const CollectiveCall& call,
                                                            const Participants& who) {
  const int n = who.ranks;
  const auto scatter = std::make_shared<BinomialScatter>(call, n);
  const auto gather = std::make_shared<RingSchedule>(
      call, n, RingRounds{n - 1, even_chunks(call.elements, n)}, call.elements);
  std::vector<Stage> stages(2);
  stages[0].groups.push_back({scatter, in_order(n)});
  stages[1].groups.push_back({gather, in_order(n)});
  return make_staged(call, n, std::move(stages));
}

}  // namespace gradwire
