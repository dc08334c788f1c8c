#pragma once

#include "simulator/collectives/schedule.hpp"

namespace gradwire {

/// Base of algorithms whose rounds each have edges of their own: a phase a round, as long as its
/// largest message.
class RoundSchedule : public Schedule {
 public:
  using Schedule::Schedule;

  std::vector<Phase> phases() const override;
};

}  // namespace gradwire
