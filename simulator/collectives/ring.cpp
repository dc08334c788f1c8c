#include "simulator/collectives/ring.hpp"

#include <algorithm>

#include "base/errors.hpp"

namespace gradwire {

RingSchedule::RingSchedule(CollectiveCall call, int ranks, RingRounds rounds,
                           Elements total_elements)
    : Schedule(call, ranks), rounds_(std::move(rounds)), total_elements_(total_elements) {
  GW_CHECK(ranks >= 1 && rounds_.chunks.size() == static_cast<std::size_t>(ranks),
           "a ring has one chunk a rank");
  Elements first{0};
  for (const Elements chunk : rounds_.chunks) {
    firsts_.push_back(first);
    first += chunk;
  }
}

void RingSchedule::append_messages(int round, std::vector<Message>& out) const {
  const int n = ranks();
  const bool adds = round < rounds_.adding;
  for (int from = 0; from < n; ++from) {
    const auto chunk = static_cast<std::size_t>(((from - round) % n + n) % n);
    out.push_back({from, (from + 1) % n, rounds_.chunks[chunk], firsts_[chunk], adds});
  }
}

std::vector<Phase> RingSchedule::phases() const {
  if (rounds_.rounds == 0) return {};
  // The longest chain follows the largest chunk around the ring.
  const Elements largest = *std::max_element(rounds_.chunks.begin(), rounds_.chunks.end());
  Phase phase{rounds_.rounds, largest, largest * rounds_.rounds, {}};
  for (int from = 0; from < ranks(); ++from) phase.edges.push_back({from, (from + 1) % ranks()});
  return {phase};
}

Elements RingSchedule::sent_by(int rank) const {
  const int n = ranks();
  const auto before = [&](int chunk) {
    const auto index = static_cast<std::size_t>(chunk);
    return chunk == n ? firsts_.back() + rounds_.chunks.back() : firsts_[index];
  };
  // Chunks rank, rank-1, ... around the ring: all of them once a time around, and the last few.
  const int rest = rounds_.rounds % n;
  const int below = std::max(0, rest - (rank + 1));  // of the rest, those from the upper end
  const Elements few = before(rank + 1) - before(std::max(0, rank + 1 - rest));
  return before(n) * (rounds_.rounds / n) + few + (before(n) - before(n - below));
}

Seconds RingSchedule::closed_form(Seconds alpha, BitsPerSecond bandwidth) const {
  const Elements largest = *std::max_element(rounds_.chunks.begin(), rounds_.chunks.end());
  return rounds_.rounds * (alpha + largest * call().element_size / bandwidth);
}

Seconds RingSchedule::textbook_form(Seconds alpha, BitsPerSecond bandwidth) const {
  const Seconds whole = total_elements_ * call().element_size / bandwidth;
  return rounds_.rounds * (alpha + whole / static_cast<double>(ranks()));
}

std::unique_ptr<Schedule> make_ring_all_reduce(const CollectiveCall& call,
                                               const Participants& who) {
  const int n = who.ranks;
  return std::make_unique<RingSchedule>(
      call, n, RingRounds{2 * (n - 1), even_chunks(call.elements, n), n - 1}, call.elements);
}

std::unique_ptr<Schedule> make_ring_all_gather(const CollectiveCall& call,
                                               const Participants& who) {
  const int n = who.ranks;
  const std::vector<Elements> chunks(static_cast<std::size_t>(n), call.elements);
  return std::make_unique<RingSchedule>(call, n, RingRounds{n - 1, chunks}, call.elements * n);
}

std::unique_ptr<Schedule> make_ring_reduce_scatter(const CollectiveCall& call,
                                                   const Participants& who) {
  const int n = who.ranks;
  return std::make_unique<RingSchedule>(
      call, n, RingRounds{n - 1, even_chunks(call.elements, n), n - 1}, call.elements);
}

}  // namespace gradwire
