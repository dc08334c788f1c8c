#pragma once

#include "simulator/collectives/chunks.hpp"
#include "simulator/collectives/schedule.hpp"

namespace gradwire {

/// Base of the ring algorithms: they differ in the number of rounds and in the chunks only.
class RingSchedule : public Schedule {
 public:
  /// `chunks` has one entry a rank; `total_elements` is the sum that the textbook form divides by
  /// the ranks.
  RingSchedule(CollectiveCall call, int ranks, RingRounds rounds, Elements total_elements);

  int rounds() const override { return rounds_.rounds; }
  void append_messages(int round, std::vector<Message>& out) const override;
  std::vector<Phase> phases() const override;
  Elements sent_by(int rank) const override;
  Seconds closed_form(Seconds alpha, BitsPerSecond bandwidth) const override;
  Seconds textbook_form(Seconds alpha, BitsPerSecond bandwidth) const override;
  const RingRounds* ring() const override { return &rounds_; }

 private:
  RingRounds rounds_;
  std::vector<Elements> firsts_;  // where each chunk begins
  Elements total_elements_;
};

/// 2(n-1) rounds of one n-th each: reduce-scatter, then all-gather (Patarasuk and Yuan, JPDC 2009).
std::unique_ptr<Schedule> make_ring_all_reduce(const CollectiveCall& call, const Participants& who);

/// n-1 rounds of one contribution each.
std::unique_ptr<Schedule> make_ring_all_gather(const CollectiveCall& call, const Participants& who);

/// n-1 rounds of one n-th each; rank i ends with the sum of chunk i+1.
std::unique_ptr<Schedule> make_ring_reduce_scatter(const CollectiveCall& call,
                                                   const Participants& who);

}  // namespace gradwire
