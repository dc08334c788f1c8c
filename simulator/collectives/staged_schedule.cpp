#include "simulator/collectives/staged_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.hpp"
#include "simulator/collectives/chain_broadcast.hpp"
#include "simulator/collectives/reversed_schedule.hpp"

namespace gradwire {
namespace {

class StagedSchedule : public Schedule {
 public:
  StagedSchedule(const CollectiveCall& call, int ranks, std::vector<Stage> stages)
      : Schedule(call, ranks), stages_(std::move(stages)) {
    const auto places = static_cast<std::size_t>(ranks);
    for (const Stage& stage : stages_) {
      std::vector<Part>& parts = parts_.emplace_back(places);
      for (const StageGroup& group : stage.groups) {
        GW_CHECK(group.schedule->rounds() == rounds_of(stage), "groups of a stage keep step");
        for (int i = 0; i < group.schedule->ranks(); ++i) {
          parts[static_cast<std::size_t>(placed(group, i))] = {group.schedule.get(), i};
        }
      }
    }
  }

  int rounds() const override {
    int rounds = 0;
    for (const Stage& stage : stages_) rounds += rounds_of(stage);
    return rounds;
  }

  void append_messages(int round, std::vector<Message>& out) const override {
    for (const Stage& stage : stages_) {
      if (round < rounds_of(stage)) {
        for (const StageGroup& group : stage.groups) append_group(group, round, out);
        return;
      }
      round -= rounds_of(stage);
    }
  }

  std::vector<Phase> phases() const override {
    std::vector<Phase> phases;
    for (const Stage& stage : stages_) {
      std::vector<Phase> of_stage = stage.groups.front().schedule->phases();
      for (Phase& phase : of_stage) phase.edges.clear();
      for (const StageGroup& group : stage.groups) {
        const std::vector<Phase> of_group = group.schedule->phases();
        for (std::size_t i = 0; i < of_stage.size(); ++i) {
          for (const Edge& edge : of_group[i].edges) {
            of_stage[i].edges.push_back({placed(group, edge.from), placed(group, edge.to)});
          }
        }
      }
      phases.insert(phases.end(), of_stage.begin(), of_stage.end());
    }
    return phases;
  }

  Elements sent_by(int rank) const override {
    Elements sent{0};
    for (const std::vector<Part>& parts : parts_) {
      const Part& part = parts[static_cast<std::size_t>(rank)];
      if (part.schedule != nullptr) sent += part.schedule->sent_by(part.rank);
    }
    return sent;
  }

  Seconds closed_form(Seconds alpha, BitsPerSecond bandwidth) const override {
    Seconds sum{0};
    for (const Stage& stage : stages_) {
      sum += stage.groups.front().schedule->closed_form(alpha, bandwidth);
    }
    return sum;
  }

  Seconds closed_form_on_nodes(const LinkSpec& nic, const LinkSpec& intra) const override {
    Seconds sum{0};
    for (const Stage& stage : stages_) {
      const BitsPerSecond share = nic.bandwidth * (1.0 / stage.groups_per_nic);
      sum += stage.inside_nodes
                 ? stage.groups.front().schedule->closed_form(intra.latency, intra.bandwidth)
                 : stage.groups.front().schedule->closed_form(nic.latency, share);
    }
    return sum;
  }

  Seconds textbook_form(Seconds alpha, BitsPerSecond bandwidth) const override {
    Seconds sum{0};
    for (const Stage& stage : stages_) {
      sum += stage.groups.front().schedule->textbook_form(alpha, bandwidth);
    }
    return sum;
  }

  bool waits_for_all() const override {
    return std::any_of(stages_.begin(), stages_.end(), [](const Stage& stage) {
      return stage.groups.front().schedule->waits_for_all();
    });
  }

 private:
  /// What a rank plays in one stage; no schedule where it looks on.
  struct Part {
    const Schedule* schedule = nullptr;
    int rank = 0;
  };

  static int rounds_of(const Stage& stage) { return stage.groups.front().schedule->rounds(); }

  static int placed(const StageGroup& group, int rank) {
    return group.rank_at[static_cast<std::size_t>(rank)];
  }

  static void append_group(const StageGroup& group, int round, std::vector<Message>& out) {
    const std::size_t first = out.size();
    group.schedule->append_messages(round, out);
    for (std::size_t i = first; i < out.size(); ++i) {
      out[i].from = placed(group, out[i].from);
      out[i].to = placed(group, out[i].to);
      out[i].first += group.first;
    }
  }

  std::vector<Stage> stages_;
  std::vector<std::vector<Part>> parts_;  // by stage and rank
};

}  // namespace

std::unique_ptr<Schedule> make_staged(const CollectiveCall& call, int ranks,
                                      std::vector<Stage> stages) {
  return std::make_unique<StagedSchedule>(call, ranks, std::move(stages));
}

std::vector<int> EqualNodes::ranks_of(int node) const {
  std::vector<int> ranks;
  for (int local = 0; local < per_node; ++local) ranks.push_back(node * per_node + local);
  return ranks;
}

std::vector<int> EqualNodes::across(int local) const {
  std::vector<int> ranks;
  for (int node = 0; node < nodes; ++node) ranks.push_back(node * per_node + local);
  return ranks;
}

EqualNodes equal_nodes(const Participants& who, std::string_view algorithm) {
  if (who.ranks <= who.per_node) return {1, who.ranks};
  if (who.ranks % who.per_node != 0) {
    throw InputError(
        fmt::format("algorithm {}: {} ranks found on nodes of {}; full nodes are accepted",
                    algorithm, who.ranks, who.per_node));
  }
  return {who.ranks / who.per_node, who.per_node};
}

std::unique_ptr<Schedule> make_between_nodes(const CollectiveCall& call, const EqualNodes& nodes,
                                             std::unique_ptr<Schedule> between) {
  if (nodes.per_node == 1) return between;
  std::shared_ptr<const Schedule> down = make_chain_broadcast(call, nodes.per_node);
  std::shared_ptr<const Schedule> up =
      reversed(make_chain_broadcast(call, nodes.per_node), CollectiveKind::kReduce);
  Stage first{{}, true};
  Stage last{{}, true};
  for (int node = 0; node < nodes.nodes; ++node) {
    first.groups.push_back({up, nodes.ranks_of(node)});
    last.groups.push_back({down, nodes.ranks_of(node)});
  }
  std::vector<Stage> stages = {std::move(first)};
  if (nodes.nodes > 1) stages.push_back({{{std::move(between), nodes.across(0)}}});
  stages.push_back(std::move(last));
  return make_staged(call, nodes.nodes * nodes.per_node, std::move(stages));
}

}  // namespace gradwire
