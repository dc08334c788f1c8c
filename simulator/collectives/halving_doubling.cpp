#include "simulator/collectives/halving_doubling.hpp"

#include "simulator/collectives/chunks.hpp"
#include "simulator/collectives/power_of_two.hpp"
#include "simulator/collectives/round_schedule.hpp"

namespace gradwire {
namespace {

class HalvingDoubling : public RoundSchedule {
 public:
  HalvingDoubling(const CollectiveCall& call, int ranks)
      : RoundSchedule(call, ranks), core_(ranks) {}

  int rounds() const override { return 2 * core_.exponent + (core_.extra > 0 ? 2 : 0); }

  void append_messages(int round, std::vector<Message>& out) const override {
    const int before = core_.extra > 0 ? 1 : 0;
    if (before == 1 && (round == 0 || round == rounds() - 1)) return append_extra(round == 0, out);
    const int exchange = round - before;
    const bool halves = exchange < core_.exponent;
    const int from_end = halves ? exchange : 2 * core_.exponent - 1 - exchange;
    const int half = core_.size >> (from_end + 1);
    for (int member = 0; member < core_.size; ++member) {
      const int partner = member ^ half;
      // Halving gives away the partner's half of what both have, doubling one's own.
      const int block = (halves ? partner : member) & ~(half - 1);
      const Elements first = elements_before(call().elements, core_.size, block);
      const Elements last = elements_before(call().elements, core_.size, block + half);
      out.push_back({core_.rank_of(member), core_.rank_of(partner), last - first, first, halves});
    }
  }

  Seconds closed_form(Seconds alpha, BitsPerSecond bandwidth) const override {
    Elements path{0};  // of the rank that keeps the first chunk, a largest one
    for (int k = 0; k < core_.exponent; ++k) {
      path += elements_before(call().elements, core_.size, 1 << k) * 2;
    }
    if (core_.extra > 0) path += call().elements * 2;
    return rounds() * alpha + path * call().element_size / bandwidth;
  }

  Seconds textbook_form(Seconds alpha, BitsPerSecond bandwidth) const override {
    const Seconds whole = call().elements * call().element_size / bandwidth;
    const double vectors = 2.0 * (core_.size - 1) / core_.size + (core_.extra > 0 ? 2.0 : 0.0);
    return rounds() * alpha + vectors * whole;
  }

 private:
  void append_extra(bool hand_over, std::vector<Message>& out) const {
    for (int member = 0; member < core_.extra; ++member) {
      const int extra = 2 * member;
      const int partner = core_.rank_of(member);
      const Elements all = call().elements;
      out.push_back(hand_over ? Message{extra, partner, all, Elements{0}, true}
                              : Message{partner, extra, all});
    }
  }

  PowerOfTwoCore core_;
};

}  // namespace

std::unique_ptr<Schedule> make_halving_doubling_all_reduce(const CollectiveCall& call,
                                                           const Participants& who) {
  return std::make_unique<HalvingDoubling>(call, who.ranks);
}

}  // namespace gradwire
