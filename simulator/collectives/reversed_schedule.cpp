#include "simulator/collectives/reversed_schedule.hpp"

#include <algorithm>
#include <utility>

namespace gradwire {
namespace {

CollectiveCall of_kind(CollectiveCall call, CollectiveKind kind) {
  call.kind = kind;
  return call;
}

class ReversedSchedule : public Schedule {
 public:
  ReversedSchedule(std::unique_ptr<Schedule> schedule, CollectiveKind kind)
      : Schedule(of_kind(schedule->call(), kind), schedule->ranks()),
        schedule_(std::move(schedule)) {}

  int rounds() const override { return schedule_->rounds(); }

  void append_messages(int round, std::vector<Message>& out) const override {
    const std::size_t first = out.size();
    schedule_->append_messages(rounds() - 1 - round, out);
    for (std::size_t i = first; i < out.size(); ++i) {
      std::swap(out[i].from, out[i].to);
      out[i].adds = true;
    }
  }

  std::vector<Phase> phases() const override {
    std::vector<Phase> phases = schedule_->phases();
    std::reverse(phases.begin(), phases.end());
    for (Phase& phase : phases) {
      for (Edge& edge : phase.edges) std::swap(edge.from, edge.to);
    }
    return phases;
  }

  Seconds closed_form(Seconds alpha, BitsPerSecond bandwidth) const override {
    return schedule_->closed_form(alpha, bandwidth);
  }

  Seconds textbook_form(Seconds alpha, BitsPerSecond bandwidth) const override {
    return schedule_->textbook_form(alpha, bandwidth);
  }

 private:
  std::unique_ptr<Schedule> schedule_;
};

}  // namespace

std::unique_ptr<Schedule> reversed(std::unique_ptr<Schedule> schedule, CollectiveKind kind) {
  return std::make_unique<ReversedSchedule>(std::move(schedule), kind);
}

}  // namespace gradwire
