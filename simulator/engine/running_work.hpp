#pragma once

#include <array>

#include "simulator/plan/plan.hpp"

namespace gradwire {

/// The ops that run on one rank at a time, one a stream, communication apart, and when they end.
/// Device work takes `overlap_slowdown` times as long while the rank communicates; the compute and
/// the side stream run at half rate each while both work. Times in seconds; calls come in order of
/// time. Constant time and no allocation a call.
class RunningWork {
 public:
  explicit RunningWork(const Plan& plan)
      : overlap_slowdown_(plan.overlap_slowdown), device_share_(plan.device_share) {}

  /// `seconds` of undisturbed work, on a stream that runs none.
  void start(Stream stream, double now, double seconds);
  /// The work of `stream` has ended.
  void end(Stream stream, double now);
  /// The rank communicates from now on, or no longer.
  void set_disturbed(bool disturbed, double now);

  bool is_running(Stream stream) const { return of(stream).running; }
  /// When the work of a running stream ends unless one of the calls above comes before.
  double end_of(Stream stream) const { return of(stream).end; }

 private:
  struct Work {
    bool running = false;
    double left = 0.0;   // undisturbed
    double since = 0.0;  // when `left` was true
    double pace = 1.0;   // seconds that a second of work takes
    double end = 0.0;
  };

  const Work& of(Stream stream) const { return works_[static_cast<std::size_t>(stream)]; }
  double pace_of(Stream stream) const;
  void update(double now);

  double overlap_slowdown_;
  bool device_share_;
  bool disturbed_ = false;
  std::array<Work, kStreams> works_;
};

}  // namespace gradwire
