#pragma once

#include <array>
#include <functional>

#include "simulator/engine/running_work.hpp"
#include "simulator/engine/simgrid/clock.hpp"

namespace gradwire {

/// The work of one rank on SimGrid's clock: a timer for each stream's end, armed again whenever
/// another start, end or collective changes it.
class DeviceTimers {
 public:
  /// `ended` is told of each stream whose work has ended; it may start the next one at once.
  DeviceTimers(const Plan& plan, std::function<void(Stream)> ended)
      : works_(plan), ended_(std::move(ended)) {}
  DeviceTimers(const DeviceTimers&) = delete;
  DeviceTimers& operator=(const DeviceTimers&) = delete;

  void start(Stream stream, double seconds);
  void set_disturbed(bool disturbed);

 private:
  struct Armed {
    TimerHandle timer;
    double end = 0.0;
  };

  void arm();
  void fired(Stream stream);

  RunningWork works_;
  std::function<void(Stream)> ended_;
  std::array<Armed, kStreams> armed_;
};

}  // namespace gradwire
