#include "simulator/engine/simgrid/clock.hpp"

#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u/Engine.hpp>
#include <utility>

namespace gradwire {

using simgrid::kernel::timer::Timer;

TimerHandle after(double seconds, std::function<void()> callback) {
  return {Timer::set(simgrid::s4u::Engine::get_clock() + seconds, std::move(callback))};
}

void cancel(TimerHandle& handle) {
  if (handle.timer != nullptr) static_cast<Timer*>(handle.timer)->remove();
  handle.timer = nullptr;
}

}  // namespace gradwire
