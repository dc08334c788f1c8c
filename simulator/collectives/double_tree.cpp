#include "simulator/collectives/double_tree.hpp"

#include <algorithm>
#include <array>

#include "base/errors.hpp"
#include "simulator/collectives/chunks.hpp"
#include "simulator/collectives/power_of_two.hpp"
#include "simulator/collectives/reversed_schedule.hpp"
#include "simulator/collectives/staged_schedule.hpp"

namespace gradwire {
namespace {

/// In-order tree: odd ranks are leaves, a rank whose lowest set bit is 2^k is k levels above them.
int parent_in_one_tree(int rank, int ranks) {
  if (rank == 0) return -1;
  const int lowest = rank & -rank;
  const int above = (rank ^ lowest) | (lowest << 1);
  return above < ranks ? above : rank ^ lowest;
}

struct TreeEdge {
  int from = 0;
  int to = 0;
  int tree = 0;
  int turn = -1;   // the rounds that are this modulo the period
  int round = -1;  // in which the first chunk crosses
};

/// The edges of both trees, downwards, with their turns.
class TurnTaking {
 public:
  explicit TurnTaking(int ranks) : ranks_(static_cast<std::size_t>(ranks)) {
    const TreeParents parents = double_tree_parents(ranks);
    incoming_.fill(std::vector<int>(ranks_, -1));
    leaving_.resize(ranks_);
    for (int rank = 0; rank < ranks; ++rank) {
      add(parents.first[static_cast<std::size_t>(rank)], rank, 0);
      add(parents.second[static_cast<std::size_t>(rank)], rank, 1);
    }
    period_ = ranks > 2 ? 2 : 1;
    for (const int edge : from_the_roots()) {
      TreeEdge& own = edges_[static_cast<std::size_t>(edge)];
      const int before = before_it(own);
      const int ready = before < 0 ? 0 : edges_[static_cast<std::size_t>(before)].round + 1;
      take_turns_from(edge, ready % period_);
      own.round = ready + (own.turn + period_ - ready % period_) % period_;
    }
  }

  const std::vector<TreeEdge>& edges() const { return edges_; }
  int period() const { return period_; }
  int depth() const {
    int depth = 0;
    for (const TreeEdge& edge : edges_) depth = std::max(depth, edge.round + 1);
    return depth;
  }

 private:
  void add(int from, int to, int tree) {
    if (from < 0) return;
    const auto edge = static_cast<int>(edges_.size());
    edges_.push_back({from, to, tree});
    incoming_[static_cast<std::size_t>(tree)][static_cast<std::size_t>(to)] = edge;
    leaving_[static_cast<std::size_t>(from)].push_back(edge);
    GW_CHECK(leaving_[static_cast<std::size_t>(from)].size() <= 2, "a rank has two children");
  }

  /// The other edge that leaves the same rank, or that leads to it; -1 where there is none.
  int beside(int edge, bool leaving) const {
    const TreeEdge& own = edges_[static_cast<std::size_t>(edge)];
    if (!leaving) {
      return incoming_[static_cast<std::size_t>(1 - own.tree)][static_cast<std::size_t>(own.to)];
    }
    for (const int other : leaving_[static_cast<std::size_t>(own.from)]) {
      if (other != edge) return other;
    }
    return -1;
  }

  /// The edge through which a chunk comes that `edge` carries on; -1 at a root.
  int before_it(const TreeEdge& edge) const {
    return incoming_[static_cast<std::size_t>(edge.tree)][static_cast<std::size_t>(edge.from)];
  }

  /// All edges, level by level.
  std::vector<int> from_the_roots() const {
    std::vector<int> order;
    for (std::size_t edge = 0; edge < edges_.size(); ++edge) {
      if (before_it(edges_[edge]) < 0) order.push_back(static_cast<int>(edge));
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
      const TreeEdge own = edges_[static_cast<std::size_t>(order[i])];
      for (const int next : leaving_[static_cast<std::size_t>(own.to)]) {
        if (edges_[static_cast<std::size_t>(next)].tree == own.tree) order.push_back(next);
      }
    }
    return order;
  }

  /// Edges that may not be busy together form paths and even circles, along which the turns
  /// alternate. The edge nearest to a root has the turn in which it need not wait.
  void take_turns_from(int start, int turn) {
    int& first = edges_[static_cast<std::size_t>(start)].turn;
    if (first >= 0) return;
    first = turn;
    for (const bool leaving : {true, false}) {
      bool by_sender = leaving;
      int last = start;
      for (int next = beside(last, by_sender);
           next >= 0 && edges_[static_cast<std::size_t>(next)].turn < 0;
           next = beside(last, by_sender)) {
        edges_[static_cast<std::size_t>(next)].turn =
            1 - edges_[static_cast<std::size_t>(last)].turn;
        last = next;
        by_sender = !by_sender;
      }
    }
  }

  std::size_t ranks_;
  std::vector<TreeEdge> edges_;
  std::array<std::vector<int>, 2> incoming_;  // by tree and rank
  std::vector<std::vector<int>> leaving_;     // by rank
  int period_ = 1;
};

/// Half of the vector from each root to all ranks.
class DoubleTreeDown : public Schedule {
 public:
  DoubleTreeDown(const CollectiveCall& call, int ranks)
      : Schedule(call, ranks), turns_(ranks), halves_(even_chunks(call.elements, 2)) {
    const Bytes chunk = double_tree_chunk(halves_[0] * call.element_size, ranks);
    chunks_ = pipeline_chunks(halves_[0], call.element_size, chunk);
    bounds_[0] = chunk_bounds(halves_[0], chunks_);
    bounds_[1] = chunk_bounds(halves_[1], chunks_, halves_[0]);
    depth_ = turns_.depth();
  }

  int rounds() const override { return depth_ == 0 ? 0 : turns_.period() * (chunks_ - 1) + depth_; }

  void append_messages(int round, std::vector<Message>& out) const override {
    for (const TreeEdge& edge : turns_.edges()) {
      const int since = round - edge.round;
      const int chunk = since / turns_.period();
      if (since < 0 || since % turns_.period() != 0 || chunk >= chunks_) continue;
      const Elements* bounds =
          &bounds_[static_cast<std::size_t>(edge.tree)][static_cast<std::size_t>(chunk)];
      out.push_back({edge.from, edge.to, bounds[1] - bounds[0], bounds[0]});
    }
  }

  std::vector<Phase> phases() const override {
    if (rounds() == 0) return {};
    Phase phase{rounds(), largest(), largest() * rounds(), {}, turns_.period()};
    for (const TreeEdge& edge : turns_.edges()) phase.edges.push_back({edge.from, edge.to});
    return {phase};
  }

  Seconds closed_form(Seconds alpha, BitsPerSecond bandwidth) const override {
    return rounds() * (alpha + largest() * call().element_size / bandwidth);
  }

  Seconds textbook_form(Seconds alpha, BitsPerSecond bandwidth) const override {
    const Seconds whole = call().elements * call().element_size / bandwidth;
    return rounds() * (alpha + whole / (2.0 * chunks_));
  }

 private:
  Elements largest() const { return bounds_[0][1]; }

  TurnTaking turns_;
  std::vector<Elements> halves_;
  int chunks_ = 1;
  std::array<std::vector<Elements>, 2> bounds_;  // of the chunks, by tree
  int depth_ = 0;
};

}  // namespace

TreeParents double_tree_parents(int ranks) {
  TreeParents parents;
  for (int rank = 0; rank < ranks; ++rank) {
    parents.first.push_back(parent_in_one_tree(rank, ranks));
    if (ranks % 2 == 0) {
      const int mirrored = parent_in_one_tree(ranks - 1 - rank, ranks);
      parents.second.push_back(mirrored < 0 ? -1 : ranks - 1 - mirrored);
    } else {
      const int shifted = parent_in_one_tree((rank + ranks - 1) % ranks, ranks);
      parents.second.push_back(shifted < 0 ? -1 : (shifted + 1) % ranks);
    }
  }
  return parents;
}

Bytes double_tree_chunk(Bytes half, int ranks) {
  const std::int64_t levels = doubling_rounds(ranks);
  std::int64_t chunk = kPipelineChunk.count();
  const auto halve_down_to = [&](std::int64_t least, std::int64_t chunks_a_level) {
    while (half.count() / chunk < levels * chunks_a_level && chunk > least) chunk /= 2;
  };
  constexpr std::int64_t kKibi = 1024;
  halve_down_to(128 * kKibi, 8);
  halve_down_to(64 * kKibi, 4);
  halve_down_to(32 * kKibi, 1);
  return Bytes{chunk};
}

int double_tree_depth(int ranks) { return TurnTaking(ranks).depth(); }

std::unique_ptr<Schedule> make_double_tree_all_reduce(const CollectiveCall& call,
                                                      const Participants& who) {
  const EqualNodes nodes = equal_nodes(who, "double_tree");
  std::vector<Stage> stages(2);
  stages[0].groups.push_back(
      {reversed(std::make_unique<DoubleTreeDown>(call, nodes.nodes), CollectiveKind::kReduce),
       EqualNodes{1, nodes.nodes}.ranks_of(0)});
  stages[1].groups.push_back({std::make_shared<DoubleTreeDown>(call, nodes.nodes),
                              EqualNodes{1, nodes.nodes}.ranks_of(0)});
  return make_between_nodes(call, nodes, make_staged(call, nodes.nodes, std::move(stages)));
}

}  // namespace gradwire
