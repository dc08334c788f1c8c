// A documented difference between the modes: a foreign flow beside a throttled ring. In coupled
// mode the ring moves as a fluid, at the slowest NIC's pace everywhere at once; message by message
// it comes in bursts, which on two NICs do not coincide, and the bystander yields to each. No plan
// has foreign flows yet, so the two are put side by side here on the platform itself.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>

#include "simulator/engine/simgrid/child_process.hpp"
#include "simulator/engine/simgrid/network.hpp"
#include "simulator/engine/simgrid/simgrid_versions.hpp"

namespace gradwire {
namespace {

namespace s4u = simgrid::s4u;

constexpr int kNodes = 24;
constexpr int kRounds = 2 * (kNodes - 1);
constexpr std::uint64_t kChunk = 1'041'668;  // bytes: ceil(6.25e6 / 24) floats
constexpr std::uint64_t kForeign = 100'000'000;
constexpr int kSlow = 3;  // the node whose NIC sends at a quarter of 10 Gbps
constexpr int kForeignFrom = 10;
constexpr int kForeignTo = 15;

struct Ends {
  double ring = 0.0;
  double foreign = 0.0;
};

/// 24 nodes with one NIC each, a ring over them and one foreign flow, no latency.
class Bench {
 public:
  Bench() {
    for (int node = 0; node < kNodes; ++node) {
      const double speed = node == kSlow ? 2.5e9 : 10e9;
      out_.push_back(
          world_.add_link("out" + std::to_string(node), BitsPerSecond{speed}, Seconds{0}));
      in_.push_back(world_.add_link("in" + std::to_string(node), BitsPerSecond{10e9}, Seconds{0}));
      hosts_.push_back(make_host(world_.zone(), "node" + std::to_string(node), 1.0));
    }
    for (int node = 0; node < kNodes; ++node) add_route(node, (node + 1) % kNodes);
    add_route(kForeignFrom, kForeignTo);
    std::vector<s4u::Link*> all = out_;
    all.insert(all.end(), in_.begin(), in_.end());
    ring_from_ = make_host(world_.zone(), "ring from", 1.0);
    ring_to_ = make_host(world_.zone(), "ring to", 1.0);
    world_.add_route(ring_from_, ring_to_, all);
    world_.seal();
    on_activity_end([this](const s4u::Activity& activity) { ended(activity); });
  }

  Ends run_as_one_flow() {
    start(ring_from_, ring_to_, kChunk * kRounds, kWholeRing);
    return run_beside_the_foreign_flow();
  }

  Ends run_message_by_message() {
    received_.assign(kNodes, 0);
    sent_.assign(kNodes, 0);
    started_.assign(kNodes, 0);
    for (int node = 0; node < kNodes; ++node) send(node);
    return run_beside_the_foreign_flow();
  }

 private:
  static constexpr int kForeignFlow = -1;
  static constexpr int kWholeRing = -2;

  void add_route(int from, int to) {
    world_.add_route(hosts_[at(from)], hosts_[at(to)], {out_[at(from)], in_[at(to)]});
  }

  static std::size_t at(int node) { return static_cast<std::size_t>(node); }

  void start(s4u::Host* from, s4u::Host* to, std::uint64_t bytes, int what) {
    s4u::CommPtr flow = s4u::Comm::sendto_init(from, to)->set_payload_size(bytes);
    flows_.push_back(flow);
    meaning_[flow.get()] = what;
    start_when_ready(*flow);
  }

  Ends run_beside_the_foreign_flow() {
    start(hosts_[kForeignFrom], hosts_[kForeignTo], kForeign, kForeignFlow);
    world_.run();
    return ends_;
  }

  /// The next message of `node`, once the ones of the round before are sent and received.
  void send(int node) {
    const int round = started_[at(node)];
    if (round == kRounds || sent_[at(node)] < round || received_[at(node)] < round) return;
    ++started_[at(node)];
    start(hosts_[at(node)], hosts_[at((node + 1) % kNodes)], kChunk, node);
  }

  void ended(const s4u::Activity& activity) {
    const int what = meaning_.at(&activity);
    const double now = s4u::Engine::get_clock();
    if (what == kForeignFlow) {
      ends_.foreign = now;
      return;
    }
    ends_.ring = now;
    if (what == kWholeRing) return;
    const int to = (what + 1) % kNodes;
    ++sent_[at(what)];
    ++received_[at(to)];
    send(what);
    send(to);
  }

  SimgridWorld world_;
  std::vector<s4u::Link*> out_;
  std::vector<s4u::Link*> in_;
  std::vector<s4u::Host*> hosts_;
  s4u::Host* ring_from_ = nullptr;
  s4u::Host* ring_to_ = nullptr;
  std::vector<int> received_;
  std::vector<int> sent_;
  std::vector<int> started_;
  std::vector<s4u::CommPtr> flows_;  // all of them, until the end
  std::map<const s4u::Activity*, int> meaning_;
  Ends ends_;
};

/// SimGrid allows one engine a process.
Ends in_a_child(Ends (Bench::*run)()) {
  ChildProcess child([run] {
    Bench bench;
    const Ends ends = (bench.*run)();
    return std::to_string(ends.ring) + " " + std::to_string(ends.foreign);
  });
  Ends ends;
  EXPECT_EQ(std::sscanf(child.finish().c_str(), "%lf %lf", &ends.ring, &ends.foreign), 2);
  return ends;
}

TEST(Bystander, IsServedSoonerBesideACoupledRingThanBesideItsMessages) {
  const Ends coupled = in_a_child(&Bench::run_as_one_flow);
  const Ends step = in_a_child(&Bench::run_message_by_message);
  // The ring itself: 46 chunks over the slow NIC, 46 * 1041668 B * 8 / 2.5 Gbps = 153.33 ms.
  const double ring = 46 * 1041668.0 * 8 / 2.5e9;
  EXPECT_NEAR(coupled.ring, ring, 1e-3 * ring);
  EXPECT_NEAR(step.ring, ring, 1e-2 * ring);
  // Beside a fluid ring at a quarter of its NICs the foreign flow has three quarters: 106.67 ms.
  EXPECT_NEAR(coupled.foreign, 100e6 * 8 / 7.5e9, 1e-3);
  // Message by message it is bursts at full speed that it yields to, at different times on its two
  // NICs: a quarter to a third later, depending on where it sits in the ring.
  EXPECT_GT(step.foreign, 1.2 * coupled.foreign);
  EXPECT_LT(step.foreign, 1.4 * coupled.foreign);
}

}  // namespace
}  // namespace gradwire
