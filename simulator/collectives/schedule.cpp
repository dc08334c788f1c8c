#include "simulator/collectives/schedule.hpp"

namespace gradwire {

Elements Schedule::sent_by(int rank) const {
  std::call_once(counted_, [this] {
    sent_.assign(static_cast<std::size_t>(ranks_), Elements{0});
    std::vector<Message> messages;
    for (int round = 0; round < rounds(); ++round) {
      messages.clear();
      append_messages(round, messages);
      for (const Message& message : messages) {
        sent_[static_cast<std::size_t>(message.from)] += message.elements;
      }
    }
  });
  return sent_[static_cast<std::size_t>(rank)];
}

Seconds Schedule::closed_form_on_nodes(const LinkSpec& nic, const LinkSpec&) const {
  return closed_form(nic.latency, nic.bandwidth);
}

}  // namespace gradwire
