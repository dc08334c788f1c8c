#include "simulator/collectives/chain_broadcast.hpp"

#include "simulator/collectives/chunks.hpp"

namespace gradwire {
namespace {

class ChainBroadcast : public Schedule {
 public:
  ChainBroadcast(const CollectiveCall& call, int ranks)
      : Schedule(call, ranks),
        chunks_(pipeline_chunks(call.elements, call.element_size)),
        bounds_(chunk_bounds(call.elements, chunks_)) {}

  int rounds() const override { return ranks() < 2 ? 0 : ranks() - 2 + chunks_; }

  void append_messages(int round, std::vector<Message>& out) const override {
    for (int from = 0; from + 1 < ranks(); ++from) {
      const int chunk = round - from;
      if (chunk < 0 || chunk >= chunks_) continue;
      const Elements* bounds = &bounds_[static_cast<std::size_t>(chunk)];
      out.push_back({from, from + 1, bounds[1] - bounds[0], bounds[0]});
    }
  }

  std::vector<Phase> phases() const override {
    if (ranks() < 2) return {};
    Phase phase{rounds(), bounds_[1], longest_path(), {}};
    for (int from = 0; from + 1 < ranks(); ++from) phase.edges.push_back({from, from + 1});
    return {phase};
  }

  Elements sent_by(int rank) const override {
    return rank + 1 < ranks() ? call().elements : Elements{0};
  }

  Seconds closed_form(Seconds alpha, BitsPerSecond bandwidth) const override {
    if (ranks() < 2) return Seconds{0};
    return rounds() * alpha + longest_path() * call().element_size / bandwidth;
  }

  Seconds textbook_form(Seconds alpha, BitsPerSecond bandwidth) const override {
    const Seconds whole = call().elements * call().element_size / bandwidth;
    return rounds() * (alpha + whole / static_cast<double>(chunks_));
  }

 private:
  /// Every chunk crosses an edge after the one before it, and one of the largest crosses the other
  /// n-2 edges too.
  Elements longest_path() const { return call().elements + bounds_[1] * (ranks() - 2); }

  int chunks_;
  std::vector<Elements> bounds_;
};

}  // namespace

std::unique_ptr<Schedule> make_chain_broadcast(const CollectiveCall& call,
                                               const Participants& who) {
  return std::make_unique<ChainBroadcast>(call, who.ranks);
}

}  // namespace gradwire
