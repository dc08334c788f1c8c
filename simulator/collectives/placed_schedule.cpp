#include "simulator/collectives/placed_schedule.hpp"

#include <algorithm>
#include <set>

#include "base/errors.hpp"

namespace gradwire {
namespace {

class PlacedSchedule : public Schedule {
 public:
  PlacedSchedule(std::shared_ptr<const Schedule> schedule, std::vector<int> rank_at)
      : Schedule(schedule->call(), schedule->ranks()),
        schedule_(std::move(schedule)),
        rank_at_(std::move(rank_at)) {
    const std::set<int> distinct(rank_at_.begin(), rank_at_.end());
    GW_CHECK(
        distinct.size() == static_cast<std::size_t>(ranks()) && rank_at_.size() == distinct.size(),
        "every rank of a schedule has a place of its own");
  }

  int rounds() const override { return schedule_->rounds(); }

  void append_messages(int round, std::vector<Message>& out) const override {
    const std::size_t first = out.size();
    schedule_->append_messages(round, out);
    for (std::size_t i = first; i < out.size(); ++i) {
      out[i].from = placed(out[i].from);
      out[i].to = placed(out[i].to);
    }
  }

  std::vector<Phase> phases() const override {
    std::vector<Phase> phases = schedule_->phases();
    for (Phase& phase : phases) {
      for (Edge& edge : phase.edges) edge = {placed(edge.from), placed(edge.to)};
    }
    return phases;
  }

  Elements sent_by(int rank) const override {
    const auto found = std::find(rank_at_.begin(), rank_at_.end(), rank);
    if (found == rank_at_.end()) return Elements{0};
    return schedule_->sent_by(static_cast<int>(found - rank_at_.begin()));
  }

  Seconds closed_form(Seconds alpha, BitsPerSecond bandwidth) const override {
    return schedule_->closed_form(alpha, bandwidth);
  }

  Seconds closed_form_on_nodes(const LinkSpec& nic, const LinkSpec& intra) const override {
    return schedule_->closed_form_on_nodes(nic, intra);
  }

  bool waits_for_all() const override { return schedule_->waits_for_all(); }

  Seconds textbook_form(Seconds alpha, BitsPerSecond bandwidth) const override {
    return schedule_->textbook_form(alpha, bandwidth);
  }

 private:
  int placed(int rank) const { return rank_at_[static_cast<std::size_t>(rank)]; }

  std::shared_ptr<const Schedule> schedule_;
  std::vector<int> rank_at_;
};

}  // namespace

std::shared_ptr<const Schedule> place_ranks(std::shared_ptr<const Schedule> schedule,
                                            std::vector<int> rank_at) {
  return std::make_shared<PlacedSchedule>(std::move(schedule), std::move(rank_at));
}

}  // namespace gradwire
