#include "simulator/engine/simgrid/step_player.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "base/errors.hpp"
#include "platforms/model/link_table.hpp"
#include "simulator/engine/round_latencies.hpp"
#include "simulator/engine/simgrid/clock.hpp"
#include "simulator/engine/simgrid/network.hpp"
#include "simulator/engine/simgrid/plan_player.hpp"
#include "simulator/engine/simgrid/simgrid_versions.hpp"

namespace gradwire {
namespace {

namespace s4u = simgrid::s4u;

constexpr double kDeviceSpeed =
    1e12;  // flops a simulated second of work stands for; any large number serves

/// The latency that every message pays; one figure for the whole plan, because SimGrid shares links
/// by latency.
Seconds message_latency(const Plan& plan, const Cluster& cluster) {
  if (plan.latency_mode == LatencyMode::kOverlapped) {
    throw InputError(
        "latency mode: \"overlapped\" is not modelled by the simgrid engine's step mode; accepted: "
        "blocking, mean");
  }
  const char* unknown = plan.second_job             ? "second job"
                        : !plan.link_events.empty() ? "link events"
                        : !plan.background.empty()  ? "background traffic"
                        : cluster.shaper            ? "shaper"
                                                    : nullptr;
  if (unknown != nullptr) {
    throw InputError(fmt::format(
        "{}: the simgrid engine's step mode plays none; --simgrid-mode coupled does", unknown));
  }
  if (plan.latency_jitter) return Seconds{0};  // every message waits for its own
  std::optional<Seconds> latency;
  for (const Op& op : plan.ops) {
    if (!op.collective) continue;
    for (const Phase& phase : op.collective->phases()) {
      const PhaseCost cost =
          phase_cost(phase, op.collective->call().element_size, cluster, plan.latency_mode);
      if (latency && *latency != cost.latency_per_round) {
        throw InputError(
            "latency mode: the rounds of this plan have several latencies, which the simgrid "
            "engine's step mode cannot give its messages; accepted: coupled");
      }
      latency = cost.latency_per_round;
    }
  }
  return latency.value_or(Seconds{0});
}

class StepPlayer : public PlanPlayer {
 public:
  StepPlayer(const Plan& plan, const Cluster& cluster, std::vector<double> factors)
      : PlanPlayer(plan, std::move(factors)),
        latency_(message_latency(plan, cluster)),
        ranks_(players()) {
    make_hosts();
    make_routes(cluster);
    make_messages();
    if (plan.latency_jitter) draw_latencies(cluster);
    for (std::size_t rank = 0; rank < players(); ++rank) receive_next(rank);
    on_activity_end([this](const s4u::Activity& activity) {
      const auto found = running_.find(&activity);
      if (found == running_.end()) return;
      const Running what = found->second;
      running_.erase(found);
      ended_ = what.activity;  // SimGrid still looks at it behind this callback
      if (what.is_work) {
        work_ended(what.from, what.stream);
      } else {
        message_ended(what);
      }
    });
  }

  void run() {
    world_.seal();
    begin();
    world_.run();
  }

 private:
  struct Running {
    s4u::ActivityPtr activity;
    bool is_work = false;
    std::size_t from = 0;
    std::size_t to = 0;
    std::size_t op = 0;
    int round = 0;
    Stream stream = Stream::kCompute;  // of work
  };
  /// A message on its way, or waiting for its receiver.
  struct Sending {
    std::size_t op = 0;
    int round = 0;
    Message message;
  };
  /// Messages of a round as a rank sees them.
  struct RankRound {
    std::vector<Message> sends;
    int receives = 0;
  };
  struct Rank {
    s4u::Host* host = nullptr;                 // the device, and where messages start and end
    std::array<s4u::Host*, kStreams> works{};  // what runs each stream's work
    std::vector<s4u::Host*> slowed;            // of these, what communication slows
    std::size_t op = 0;
    int round = 0;
    int open = 0;  // sends and receives of the round that have not ended
    bool in_collective = false;
    std::map<std::pair<std::size_t, int>, int>
        early;  // receives ended before the rank reached (op, round)
    // The op and round whose messages it takes in, and how many of them have not ended; what is
    // sent to it of later ones waits.
    std::pair<std::size_t, int> receiving{0, -1};
    int to_receive = 0;
    std::vector<Sending> waiting;
  };

  double now() const override { return s4u::Engine::get_clock(); }

  /// Executions of one host share its core. So the device's two streams are on one host, unless the
  /// plan says that they take nothing from each other, and every other stream has its own.
  void make_hosts() {
    const std::vector<double> device_speeds = {kDeviceSpeed,
                                               kDeviceSpeed / plan().overlap_slowdown};
    std::set<Stream> apart;
    for (const Op& op : plan().ops) {
      const bool on_device = op.stream == Stream::kCompute || op.stream == Stream::kCommunication ||
                             (op.stream == Stream::kSide && plan().device_share);
      if (!on_device) apart.insert(op.stream);
    }
    for (std::size_t rank = 0; rank < players(); ++rank) {
      Rank& made = ranks_[rank];
      made.host = make_host(world_.zone(), fmt::format("rank{}", rank), device_speeds);
      made.works.fill(made.host);
      made.slowed.push_back(made.host);
      for (const Stream stream : apart) {
        s4u::Host* host =
            make_host(world_.zone(), fmt::format("{}{}", name_of(stream), rank), device_speeds);
        made.works[static_cast<std::size_t>(stream)] = host;
        if (stream != Stream::kHost) made.slowed.push_back(host);
      }
    }
  }

  void make_routes(const Cluster& cluster) {
    const LinkTable table(cluster);
    std::map<int, s4u::Link*> links;
    std::set<std::pair<int, int>> routed;
    s4u::Link* cap =
        cluster.flow_cap ? world_.add_flow_cap("flow_cap", *cluster.flow_cap) : nullptr;
    const auto link_of = [&](int link, Seconds latency) {
      s4u::Link*& made = links[link];
      if (made == nullptr) {
        made = world_.add_link(fmt::format("link{}", link), table.bandwidth(link), latency);
      }
      return made;
    };
    for (const Op& op : plan().ops) {
      if (!op.collective) continue;
      for (const Phase& phase : op.collective->phases()) {
        for (const Edge edge : phase.edges) {
          if (!routed.insert({edge.from, edge.to}).second) continue;
          std::vector<s4u::Link*> route;
          for (const int link : table.links_between(edge.from, edge.to)) {
            // The message's whole latency sits on the first link, which nothing crosses second.
            route.push_back(link_of(link, route.empty() ? latency_ : Seconds{0}));
          }
          const bool leaves_node = cluster.node_of(edge.from) != cluster.node_of(edge.to);
          if (cap != nullptr && leaves_node) route.push_back(cap);
          world_.add_route(ranks_[static_cast<std::size_t>(edge.from)].host,
                           ranks_[static_cast<std::size_t>(edge.to)].host, route);
        }
      }
    }
  }

  void make_messages() {
    rounds_.resize(plan().ops.size());
    std::vector<Message> messages;
    for (std::size_t op = 0; op < plan().ops.size(); ++op) {
      const Schedule* schedule = plan().ops[op].collective.get();
      if (schedule == nullptr) continue;
      for (int round = 0; round < schedule->rounds(); ++round) {
        std::vector<RankRound>& of_round = rounds_[op].emplace_back(players());
        messages.clear();
        schedule->append_messages(round, messages);
        for (const Message& message : messages) {
          of_round[static_cast<std::size_t>(message.from)].sends.push_back(message);
          ++of_round[static_cast<std::size_t>(message.to)].receives;
        }
      }
    }
  }

  void start_work(std::size_t player, Stream stream, double seconds) override {
    if (seconds <= 0.0) return work_ended(player, stream);
    s4u::ExecPtr exec = s4u::Exec::init();
    exec->set_flops_amount(seconds * kDeviceSpeed);
    exec->set_host(ranks_[player].works[static_cast<std::size_t>(stream)]);
    running_[exec.get()] = {exec, true, player, 0, 0, 0, stream};
    start_when_ready(*exec);
  }

  void set_disturbed(std::size_t player, bool disturbed) override {
    for (s4u::Host* host : ranks_[player].slowed) host->set_pstate(disturbed ? 1 : 0);
  }

  void enter_communication(std::size_t player, std::size_t op) override {
    Rank& rank = ranks_[player];
    rank.op = op;
    rank.round = -1;
    rank.open = 0;
    rank.in_collective = true;
    if (!plan().ops[op].collective->waits_for_all()) return next_rounds(player);
    if (++arrived_ < players()) return;
    arrived_ = 0;
    for (std::size_t other = 0; other < players(); ++other) next_rounds(other);
  }

  void draw_latencies(const Cluster& cluster) {
    drawn_.resize(plan().ops.size());
    for (std::size_t op = 0; op < drawn_.size(); ++op) {
      if (plan().ops[op].collective) drawn_[op] = round_latencies(plan(), op, cluster);
    }
  }

  /// What of a collective is latency, in seconds.
  double latency_of(std::size_t op) const {
    if (drawn_.empty()) return static_cast<double>(rounds_[op].size()) * latency_.count();
    return drawn_[op].sum.count();
  }

  /// Enters rounds until one has something left to wait for.
  void next_rounds(std::size_t player) {
    Rank& rank = ranks_[player];
    while (rank.open == 0) {
      if (++rank.round == static_cast<int>(rounds_[rank.op].size())) {
        rank.in_collective = false;
        communication_ended(player, latency_of(rank.op));
        return;
      }
      const RankRound& round = rounds_[rank.op][static_cast<std::size_t>(rank.round)][player];
      const auto early = rank.early.find({rank.op, rank.round});
      rank.open = static_cast<int>(round.sends.size()) + round.receives;
      if (early != rank.early.end()) {
        rank.open -= early->second;
        rank.early.erase(early);
      }
      for (const Message& message : round.sends) send({rank.op, rank.round, message});
    }
  }

  /// A rank takes in what it is sent in the order of rounds, whoever sends it.
  void send(const Sending& sending) {
    Rank& receiver = ranks_[static_cast<std::size_t>(sending.message.to)];
    if (std::pair{sending.op, sending.round} > receiver.receiving) {
      receiver.waiting.push_back(sending);
      return;
    }
    if (drawn_.empty()) return start(sending);
    const Seconds latency = drawn_[sending.op].rounds[static_cast<std::size_t>(sending.round)];
    after(latency.count(), [this, sending] { start(sending); });
  }

  void start(const Sending& sending) {
    const auto from = static_cast<std::size_t>(sending.message.from);
    const auto to = static_cast<std::size_t>(sending.message.to);
    const Bytes size = plan().ops[sending.op].collective->call().element_size;
    const Bytes bytes = sending.message.elements * size;
    s4u::CommPtr comm = s4u::Comm::sendto_init(ranks_[from].host, ranks_[to].host)
                            ->set_payload_size(static_cast<std::uint64_t>(bytes.count()));
    running_[comm.get()] = {
        comm, false, from, to, sending.op, sending.round, Stream::kCommunication};
    start_when_ready(*comm);
  }

  void message_ended(const Running& message) {
    count_received(message);
    Rank& receiver = ranks_[message.to];
    const bool there =
        receiver.in_collective && receiver.op == message.op && receiver.round == message.round;
    if (there) {
      --receiver.open;
    } else {
      ++receiver.early[{message.op, message.round}];
    }
    --ranks_[message.from].open;
    if (ranks_[message.from].open == 0) next_rounds(message.from);
    if (there && receiver.open == 0 && receiver.in_collective && receiver.op == message.op &&
        receiver.round == message.round) {
      next_rounds(message.to);
    }
  }

  /// Lets go what waited for the receiver to have all of an earlier round.
  void count_received(const Running& message) {
    Rank& receiver = ranks_[message.to];
    if (--receiver.to_receive > 0) return;
    receive_next(message.to);
    std::vector<Sending> waiting;
    waiting.swap(receiver.waiting);
    for (const Sending& sending : waiting) send(sending);
  }

  /// On to the next round in which `player` is sent something.
  void receive_next(std::size_t player) {
    Rank& rank = ranks_[player];
    auto& [op, round] = rank.receiving;
    for (++round; op < rounds_.size(); ++op, round = 0) {
      for (; round < static_cast<int>(rounds_[op].size()); ++round) {
        rank.to_receive = rounds_[op][static_cast<std::size_t>(round)][player].receives;
        if (rank.to_receive > 0) return;
      }
    }
  }

  SimgridWorld world_;
  Seconds latency_;                    // of every message, unless they are drawn
  std::vector<RoundLatencies> drawn_;  // by op; empty without jitter
  std::vector<Rank> ranks_;
  std::size_t arrived_ = 0;                                  // at a collective that waits for all
  std::vector<std::vector<std::vector<RankRound>>> rounds_;  // by op, round, rank
  std::map<const s4u::Activity*, Running> running_;
  s4u::ActivityPtr ended_;
};

}  // namespace

Timeline play_step(const Plan& plan, const Cluster& cluster, const TimelineRequest& request) {
  std::vector<double> factors;
  for (int rank = 0; rank < plan.workers; ++rank) factors.push_back(plan.compute_factor(rank));
  StepPlayer player(plan, cluster, std::move(factors));
  player.run();
  player.require_finished();
  return build_timeline(plan, request, false, [&](int rank, std::size_t op) {
    return player.times(static_cast<std::size_t>(rank), op);
  });
}

}  // namespace gradwire
