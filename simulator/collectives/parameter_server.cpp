#include "simulator/collectives/parameter_server.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"
#include "simulator/collectives/chunks.hpp"
#include "simulator/collectives/round_schedule.hpp"

namespace gradwire {
namespace {

class ParameterServer : public RoundSchedule {
 public:
  ParameterServer(const CollectiveCall& call, int ranks, int servers)
      : RoundSchedule(call, ranks), servers_(servers) {}

  int rounds() const override { return ranks() > 1 ? 2 : 0; }

  void append_messages(int round, std::vector<Message>& out) const override {
    const bool push = round == 0;
    for (int server = 0; server < servers_; ++server) {
      const int home = static_cast<int>(static_cast<std::int64_t>(server) * ranks() / servers_);
      const Elements first = elements_before(call().elements, servers_, server);
      const Elements chunk = elements_before(call().elements, servers_, server + 1) - first;
      for (int rank = 0; rank < ranks(); ++rank) {
        if (rank == home) continue;
        out.push_back(push ? Message{rank, home, chunk, first, true}
                           : Message{home, rank, chunk, first});
      }
    }
  }

  Seconds closed_form(Seconds alpha, BitsPerSecond bandwidth) const override {
    const Elements served = elements_before(call().elements, servers_, 1) * (ranks() - 1);
    return rounds() * (alpha + served * call().element_size / bandwidth);
  }

  Seconds textbook_form(Seconds alpha, BitsPerSecond bandwidth) const override {
    const Seconds whole = call().elements * call().element_size / bandwidth;
    return rounds() * (alpha + whole * (static_cast<double>(ranks() - 1) / servers_));
  }

 private:
  int servers_;
};

}  // namespace

std::unique_ptr<Schedule> make_parameter_server(const CollectiveCall& call,
                                                const Participants& who) {
  if (who.servers < 1 || who.servers > who.ranks) {
    throw InputError(
        fmt::format("algorithm parameter_server: {} servers found; 1 to {}, one a "
                    "rank at most, are accepted",
                    who.servers, who.ranks));
  }
  return std::make_unique<ParameterServer>(call, who.ranks, who.servers);
}

}  // namespace gradwire
