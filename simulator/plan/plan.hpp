#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"
#include "simulator/collectives/latency_mode.hpp"
#include "simulator/collectives/schedule.hpp"
#include "simulator/scenario/network_conditions.hpp"

namespace gradwire {

/// Where an op runs. Ops of one stream of a rank run one after the other, in the order of the plan.
enum class Stream {
  kCompute,
  kCommunication,
  kHost,  ///< the thread that runs autograd and its hooks; no device work, never slowed
  kSide,  ///< shares the device with kCompute: while both work, each runs at half rate
  kFree,  ///< takes nothing from the other two: for what-ifs, and for recorded side streams
};
inline constexpr std::size_t kStreams = 5;

/// "compute", "communication", "host", "side", "free".
std::string_view name_of(Stream stream);

/// What a compute op does on the device.
enum class DeviceTask { kBackward, kEncode, kDecode };

/// "compute", "encode", "decode".
std::string_view name_of(DeviceTask task);

/// One op of every rank's program.
struct Op {
  Stream stream = Stream::kCompute;
  std::string label;
  std::vector<int>
      after;        ///< ops (indices into Plan::ops, all smaller) that must have ended on this rank
  Seconds work{0};  ///< undisturbed; none of a communication op
  std::shared_ptr<const Schedule>
      collective;  ///< of a communication op; starts when every rank has reached it
  DeviceTask task = DeviceTask::kBackward;  ///< of a device op
  /// The DDP bucket, in launch order, that the op fills, encodes, exchanges or decodes; absent
  /// where it serves none or all of them.
  std::optional<std::size_t> bucket{};
};

/// Foreign communication beside the plan, from time 0 until the plan has ended: `compute`, then
/// `collective`, again and again. Its ranks stand for their nodes; it shares links, not devices.
struct ForeignJob {
  std::shared_ptr<const Schedule> collective;
  Seconds compute{0};
};

/// The DAG that the engines play: one program that all ranks run, plus what differs between ranks.
/// Only the planner makes plans. An op depends on earlier ops alone. Where there are the compute
/// and the communication stream alone, a compute op stands behind every communication op that may
/// run beside it, so that the ops can be played in order.
struct Plan {
  int workers = 1;
  std::vector<Op> ops;
  double overlap_slowdown =
      1.0;  ///< compute takes so many times as long while this rank communicates
  LatencyMode latency_mode = LatencyMode::kBlocking;
  std::vector<double> compute_factors;  ///< per rank, on all device work; empty means 1 for all
  bool device_share = true;             ///< false: kSide takes nothing from kCompute either
  std::optional<ForeignJob> second_job;
  std::vector<CapacityChange> link_events;  ///< by link and time
  std::vector<BackgroundFlow> background;
  std::optional<LatencyJitter> latency_jitter;

  double compute_factor(int rank) const {
    return compute_factors.empty() ? 1.0 : compute_factors[static_cast<std::size_t>(rank)];
  }
};

/// Whether the plan has ops on other streams than compute and communication.
bool has_overlapped_work(const Plan& plan);

/// One line an op: "2 compute C1 7.500000ms after 0", "3 communicate A1 all_reduce 7875584x4B x8
/// after 2", "4 host H1 0.300000ms", "5 decode decode0 0.200000ms on side after 3".
std::string to_text(const Plan& plan);

}  // namespace gradwire
