#include "simulator/collectives/gossip.hpp"

#include <algorithm>

#include "simulator/collectives/round_schedule.hpp"

namespace gradwire {
namespace {

class Gossip : public RoundSchedule {
 public:
  using RoundSchedule::RoundSchedule;

  int rounds() const override { return std::min(ranks() - 1, 2); }

  void append_messages(int round, std::vector<Message>& out) const override {
    const int step = round == 0 ? 1 : ranks() - 1;
    for (int from = 0; from < ranks(); ++from) {
      out.push_back({from, (from + step) % ranks(), call().elements, Elements{0}, true});
    }
  }

  Seconds closed_form(Seconds alpha, BitsPerSecond bandwidth) const override {
    return rounds() * (alpha + call().elements * call().element_size / bandwidth);
  }

  Seconds textbook_form(Seconds alpha, BitsPerSecond bandwidth) const override {
    return closed_form(alpha, bandwidth);  // nothing is cut in chunks
  }
};

}  // namespace

std::unique_ptr<Schedule> make_gossip(const CollectiveCall& call, const Participants& who) {
  return std::make_unique<Gossip>(call, who.ranks);
}

}  // namespace gradwire
