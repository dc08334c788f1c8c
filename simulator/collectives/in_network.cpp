#include "simulator/collectives/in_network.hpp"

#include "simulator/collectives/round_schedule.hpp"
#include "simulator/collectives/staged_schedule.hpp"

namespace gradwire {
namespace {

class SwitchPass : public RoundSchedule {
 public:
  using RoundSchedule::RoundSchedule;

  int rounds() const override { return ranks() > 1 ? 1 : 0; }

  void append_messages(int, std::vector<Message>& out) const override {
    for (int from = 0; from < ranks(); ++from) {
      out.push_back({from, (from + 1) % ranks(), call().elements});
    }
  }

  bool waits_for_all() const override { return true; }

  Seconds closed_form(Seconds alpha, BitsPerSecond bandwidth) const override {
    return rounds() * (alpha + call().elements * call().element_size / bandwidth);
  }

  Seconds textbook_form(Seconds alpha, BitsPerSecond bandwidth) const override {
    return closed_form(alpha, bandwidth);  // nothing is cut in chunks
  }
};

}  // namespace

std::unique_ptr<Schedule> make_in_network_all_reduce(const CollectiveCall& call,
                                                     const Participants& who) {
  const EqualNodes nodes = equal_nodes(who, "in_network");
  return make_between_nodes(call, nodes, std::make_unique<SwitchPass>(call, nodes.nodes));
}

}  // namespace gradwire
