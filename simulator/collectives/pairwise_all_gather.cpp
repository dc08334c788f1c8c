#include "simulator/collectives/pairwise_all_gather.hpp"

namespace gradwire {
namespace {

class PairwiseAllGather : public Schedule {
 public:
  using Schedule::Schedule;

  int rounds() const override { return ranks() - 1; }

  void append_messages(int round, std::vector<Message>& out) const override {
    for (int from = 0; from < ranks(); ++from) {
      out.push_back({from, partner(from, round), call().elements, call().elements * from});
    }
  }

  std::vector<Phase> phases() const override {
    std::vector<Phase> phases;
    for (int round = 0; round < rounds(); ++round) {
      Phase phase{1, call().elements, call().elements, {}};
      for (int from = 0; from < ranks(); ++from) {
        phase.edges.push_back({from, partner(from, round)});
      }
      phases.push_back(std::move(phase));
    }
    return phases;
  }

  Elements sent_by(int) const override { return call().elements * rounds(); }

  Seconds closed_form(Seconds alpha, BitsPerSecond bandwidth) const override {
    return rounds() * (alpha + call().elements * call().element_size / bandwidth);
  }

  Seconds textbook_form(Seconds alpha, BitsPerSecond bandwidth) const override {
    return closed_form(alpha, bandwidth);  // nothing is cut in chunks
  }

 private:
  int partner(int from, int round) const { return (from + round + 1) % ranks(); }
};

}  // namespace

std::unique_ptr<Schedule> make_pairwise_all_gather(const CollectiveCall& call,
                                                   const Participants& who) {
  return std::make_unique<PairwiseAllGather>(call, who.ranks);
}

}  // namespace gradwire
