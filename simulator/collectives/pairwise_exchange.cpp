#include "simulator/collectives/pairwise_exchange.hpp"

#include "simulator/collectives/chunks.hpp"
#include "simulator/collectives/round_schedule.hpp"

namespace gradwire {
namespace {

class PairwiseExchange : public RoundSchedule {
 public:
  PairwiseExchange(const CollectiveCall& call, int ranks, bool at_once)
      : RoundSchedule(call, ranks), at_once_(at_once) {}

  int rounds() const override { return at_once_ && ranks() > 1 ? 1 : ranks() - 1; }

  void append_messages(int round, std::vector<Message>& out) const override {
    if (!at_once_) return append_distance(round + 1, out);
    for (int distance = 1; distance < ranks(); ++distance) append_distance(distance, out);
  }

  Elements sent_by(int rank) const override {
    return call().elements - (before(rank + 1) - before(rank));
  }

  Seconds closed_form(Seconds alpha, BitsPerSecond bandwidth) const override {
    const Elements received = before(1) * (ranks() - 1);  // by rank 0, whose chunk is a largest one
    return rounds() * alpha + received * call().element_size / bandwidth;
  }

  Seconds textbook_form(Seconds alpha, BitsPerSecond bandwidth) const override {
    const Seconds whole = call().elements * call().element_size / bandwidth;
    return rounds() * alpha + whole * (static_cast<double>(ranks() - 1) / ranks());
  }

 private:
  void append_distance(int distance, std::vector<Message>& out) const {
    const bool adds = call().kind == CollectiveKind::kReduceScatter;
    for (int from = 0; from < ranks(); ++from) {
      const int to = (from + distance) % ranks();
      out.push_back({from, to, before(to + 1) - before(to), before(to), adds});
    }
  }
  Elements before(int chunk) const { return elements_before(call().elements, ranks(), chunk); }

  bool at_once_;
};

}  // namespace

std::unique_ptr<Schedule> make_pairwise_reduce_scatter(const CollectiveCall& call,
                                                       const Participants& who) {
  return std::make_unique<PairwiseExchange>(call, who.ranks, false);
}

std::unique_ptr<Schedule> make_pairwise_all_to_all(const CollectiveCall& call,
                                                   const Participants& who) {
  return std::make_unique<PairwiseExchange>(call, who.ranks, false);
}

std::unique_ptr<Schedule> make_direct_all_to_all(const CollectiveCall& call,
                                                 const Participants& who) {
  return std::make_unique<PairwiseExchange>(call, who.ranks, true);
}

}  // namespace gradwire
