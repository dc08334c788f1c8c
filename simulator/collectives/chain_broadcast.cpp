#include "simulator/collectives/chain_broadcast.hpp"

#include "simulator/collectives/chunks.hpp"

namespace gradwire {
namespace {

class ChainBroadcast : public Schedule {
 public:
  ChainBroadcast(const CollectiveCall& call, int ranks)
      : Schedule(call, ranks),
        chunks_(even_chunks(call.elements, pipeline_chunks(call.elements, call.element_size))) {}

  int rounds() const override {
    return ranks() < 2 ? 0 : ranks() - 2 + static_cast<int>(chunks_.size());
  }

  void append_messages(int round, std::vector<Message>& out) const override {
    for (int from = 0; from + 1 < ranks(); ++from) {
      const int chunk = round - from;
      if (chunk < 0 || chunk >= static_cast<int>(chunks_.size())) continue;
      out.push_back({from, from + 1, chunks_[static_cast<std::size_t>(chunk)],
                     elements_before(call().elements, static_cast<int>(chunks_.size()), chunk)});
    }
  }

  std::vector<Phase> phases() const override {
    if (ranks() < 2) return {};
    Phase phase{rounds(), chunks_.front(), longest_path(), {}};
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
    return rounds() * (alpha + whole / static_cast<double>(chunks_.size()));
  }

 private:
  /// Every chunk crosses an edge after the one before it, and one of the largest crosses the other
  /// n-2 edges too.
  Elements longest_path() const { return call().elements + chunks_.front() * (ranks() - 2); }

  std::vector<Elements> chunks_;
};

}  // namespace

std::unique_ptr<Schedule> make_chain_broadcast(const CollectiveCall& call,
                                               const Participants& who) {
  return std::make_unique<ChainBroadcast>(call, who.ranks);
}

}  // namespace gradwire
