#include "simulator/collectives/recursive_doubling.hpp"

#include "simulator/collectives/power_of_two.hpp"
#include "simulator/collectives/round_schedule.hpp"

namespace gradwire {
namespace {

/// What the two have in common; they differ in what a message holds.
class RecursiveDoubling : public RoundSchedule {
 public:
  RecursiveDoubling(const CollectiveCall& call, int ranks)
      : RoundSchedule(call, ranks), core_(ranks) {}

  int rounds() const override { return core_.exponent + (core_.extra > 0 ? 2 : 0); }

  void append_messages(int round, std::vector<Message>& out) const override {
    if (core_.extra > 0 && (round == 0 || round == rounds() - 1)) {
      for (int member = 0; member < core_.extra; ++member) {
        out.push_back(round == 0 ? handed_over(2 * member, core_.rank_of(member))
                                 : handed_back(core_.rank_of(member), 2 * member));
      }
      return;
    }
    const int distance = 1 << (core_.extra > 0 ? round - 1 : round);
    for (int member = 0; member < core_.size; ++member) {
      out.push_back(exchanged(member, member ^ distance, distance));
    }
  }

 protected:
  const PowerOfTwoCore& core() const { return core_; }

 private:
  virtual Message handed_over(int from, int to) const = 0;
  virtual Message handed_back(int from, int to) const = 0;
  virtual Message exchanged(int member, int partner, int distance) const = 0;

  PowerOfTwoCore core_;
};

class AllReduce : public RecursiveDoubling {
 public:
  using RecursiveDoubling::RecursiveDoubling;

  Seconds closed_form(Seconds alpha, BitsPerSecond bandwidth) const override {
    return rounds() * (alpha + call().elements * call().element_size / bandwidth);
  }

  Seconds textbook_form(Seconds alpha, BitsPerSecond bandwidth) const override {
    return closed_form(alpha, bandwidth);  // nothing is cut in chunks
  }

 private:
  Message handed_over(int from, int to) const override {
    return {from, to, call().elements, Elements{0}, true};
  }
  Message handed_back(int from, int to) const override { return {from, to, call().elements}; }
  Message exchanged(int member, int partner, int) const override {
    return handed_over(core().rank_of(member), core().rank_of(partner));
  }
};

class AllGather : public RecursiveDoubling {
 public:
  using RecursiveDoubling::RecursiveDoubling;

  Seconds closed_form(Seconds alpha, BitsPerSecond bandwidth) const override {
    std::int64_t contributions = 0;  // on the path of core member 0, which has the most to send
    for (int k = 0; k < core().exponent; ++k) contributions += core().ranks_before(1 << k);
    if (core().extra > 0) contributions += 1 + ranks() - 1;
    return rounds() * alpha + call().elements * contributions * call().element_size / bandwidth;
  }

  Seconds textbook_form(Seconds alpha, BitsPerSecond bandwidth) const override {
    return closed_form(alpha, bandwidth);  // nothing is cut in chunks
  }

 private:
  Message handed_over(int from, int to) const override {
    return {from, to, call().elements, call().elements * from};
  }
  /// All but what the receiver came with: from its successor's on, around the end.
  Message handed_back(int from, int to) const override {
    return {from, to, call().elements * (ranks() - 1), call().elements * (to + 1)};
  }
  Message exchanged(int member, int partner, int distance) const override {
    const int group = member & ~(distance - 1);
    const int first = core().ranks_before(group);
    const int last = core().ranks_before(group + distance);
    return {core().rank_of(member), core().rank_of(partner), call().elements * (last - first),
            call().elements * first};
  }
};

}  // namespace

std::unique_ptr<Schedule> make_recursive_doubling_all_reduce(const CollectiveCall& call,
                                                             const Participants& who) {
  return std::make_unique<AllReduce>(call, who.ranks);
}

std::unique_ptr<Schedule> make_recursive_doubling_all_gather(const CollectiveCall& call,
                                                             const Participants& who) {
  return std::make_unique<AllGather>(call, who.ranks);
}

}  // namespace gradwire
