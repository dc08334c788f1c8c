#include "simulator/collectives/bruck_all_gather.hpp"

#include <algorithm>

#include "simulator/collectives/power_of_two.hpp"
#include "simulator/collectives/round_schedule.hpp"

namespace gradwire {
namespace {

class BruckAllGather : public RoundSchedule {
 public:
  using RoundSchedule::RoundSchedule;

  int rounds() const override { return doubling_rounds(ranks()); }

  void append_messages(int round, std::vector<Message>& out) const override {
    const int distance = 1 << round;
    const int contributions = std::min(distance, ranks() - distance);
    for (int from = 0; from < ranks(); ++from) {
      // It has its own and those of the ranks behind it.
      out.push_back({from, (from - distance + ranks()) % ranks(), call().elements * contributions,
                     call().elements * from});
    }
  }

  Elements sent_by(int) const override { return call().elements * (ranks() - 1); }

  Seconds closed_form(Seconds alpha, BitsPerSecond bandwidth) const override {
    return rounds() * alpha + sent_by(0) * call().element_size / bandwidth;
  }

  Seconds textbook_form(Seconds alpha, BitsPerSecond bandwidth) const override {
    return closed_form(alpha, bandwidth);  // nothing is cut in chunks
  }
};

}  // namespace

std::unique_ptr<Schedule> make_bruck_all_gather(const CollectiveCall& call,
                                                const Participants& who) {
  return std::make_unique<BruckAllGather>(call, who.ranks);
}

}  // namespace gradwire
