#include "simulator/engine/simgrid/device_timers.hpp"

#include <algorithm>
#include <simgrid/s4u/Engine.hpp>

namespace gradwire {
namespace {

double now() { return simgrid::s4u::Engine::get_clock(); }

}  // namespace

void DeviceTimers::start(Stream stream, double seconds) {
  works_.start(stream, now(), seconds);
  arm();
}

void DeviceTimers::set_disturbed(bool disturbed) {
  works_.set_disturbed(disturbed, now());
  arm();
}

/// A timer whose end stays is left alone.
void DeviceTimers::arm() {
  for (const Stream stream : {Stream::kCompute, Stream::kSide, Stream::kFree, Stream::kHost}) {
    if (!works_.is_running(stream)) continue;
    Armed& armed = armed_[static_cast<std::size_t>(stream)];
    const double end = works_.end_of(stream);
    if (armed.timer.timer != nullptr && armed.end == end) continue;
    cancel(armed.timer);
    armed.end = end;
    armed.timer = after(std::max(0.0, end - now()), [this, stream] { fired(stream); });
  }
}

void DeviceTimers::fired(Stream stream) {
  armed_[static_cast<std::size_t>(stream)].timer = {};
  works_.end(stream, now());
  arm();
  ended_(stream);
}

}  // namespace gradwire
