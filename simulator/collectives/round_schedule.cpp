#include "simulator/collectives/round_schedule.hpp"

#include <algorithm>

namespace gradwire {

std::vector<Phase> RoundSchedule::phases() const {
  std::vector<Phase> phases;
  std::vector<Message> messages;
  for (int round = 0; round < rounds(); ++round) {
    messages.clear();
    append_messages(round, messages);
    Phase phase{1, Elements{0}, Elements{0}, {}};
    for (const Message& message : messages) {
      phase.elements = std::max(phase.elements, message.elements);
      phase.edges.push_back({message.from, message.to});
    }
    phase.elements_per_round = phase.elements;
    phases.push_back(std::move(phase));
  }
  return phases;
}

}  // namespace gradwire
