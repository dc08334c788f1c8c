#pragma once

#include <functional>

namespace gradwire {

/// Timers on SimGrid's simulated clock, without actors. The one place that uses what is not
/// SimGrid's public interface (simgrid/kernel/Timer.hpp, installed by the package and exported by
/// the library).

/// A timer that has not fired yet; invalid once it has.
struct TimerHandle {
  void* timer = nullptr;
};

/// Calls `callback` after `seconds` of simulated time.
TimerHandle after(double seconds, std::function<void()> callback);

/// Takes a pending timer back and empties the handle; an empty handle is ignored.
void cancel(TimerHandle& handle);

}  // namespace gradwire
