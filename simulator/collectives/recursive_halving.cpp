#include "simulator/collectives/recursive_halving.hpp"

#include "simulator/collectives/chunks.hpp"
#include "simulator/collectives/power_of_two.hpp"
#include "simulator/collectives/round_schedule.hpp"

namespace gradwire {
namespace {

class RecursiveHalving : public RoundSchedule {
 public:
  RecursiveHalving(const CollectiveCall& call, int ranks)
      : RoundSchedule(call, ranks), core_(ranks) {}

  int rounds() const override { return core_.exponent + (core_.extra > 0 ? 2 : 0); }

  void append_messages(int round, std::vector<Message>& out) const override {
    if (core_.extra > 0 && (round == 0 || round == rounds() - 1)) {
      return append_extra(round == 0, out);
    }
    const int half = core_.size >> (core_.extra > 0 ? round : round + 1);
    for (int member = 0; member < core_.size; ++member) {
      const int partner = member ^ half;
      const int kept_there = partner & ~(half - 1);
      const Elements first = before(core_.ranks_before(kept_there));
      const Elements last = before(core_.ranks_before(kept_there + half));
      out.push_back({core_.rank_of(member), core_.rank_of(partner), last - first, first, true});
    }
  }

  Seconds closed_form(Seconds alpha, BitsPerSecond bandwidth) const override {
    Elements path{0};  // of core member 0, whose part is a largest one in every round
    for (int k = 0; k < core_.exponent; ++k) path += before(core_.ranks_before(1 << k));
    if (core_.extra > 0) path += call().elements + before(1);
    return rounds() * alpha + path * call().element_size / bandwidth;
  }

  Seconds textbook_form(Seconds alpha, BitsPerSecond bandwidth) const override {
    double chunks = 0.0;
    for (int k = 0; k < core_.exponent; ++k) chunks += core_.ranks_before(1 << k);
    if (core_.extra > 0) chunks += ranks() + 1;
    const Seconds whole = call().elements * call().element_size / bandwidth;
    return rounds() * alpha + whole * (chunks / ranks());
  }

 private:
  void append_extra(bool hand_over, std::vector<Message>& out) const {
    for (int member = 0; member < core_.extra; ++member) {
      const int extra = 2 * member;
      const int partner = core_.rank_of(member);
      const Elements own = before(extra + 1) - before(extra);
      out.push_back(hand_over ? Message{extra, partner, call().elements, Elements{0}, true}
                              : Message{partner, extra, own, before(extra)});
    }
  }
  Elements before(int chunk) const { return elements_before(call().elements, ranks(), chunk); }

  PowerOfTwoCore core_;
};

}  // namespace

std::unique_ptr<Schedule> make_recursive_halving_reduce_scatter(const CollectiveCall& call,
                                                                const Participants& who) {
  return std::make_unique<RecursiveHalving>(call, who.ranks);
}

}  // namespace gradwire
