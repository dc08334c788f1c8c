#include "simulator/engine/running_work.hpp"

#include <algorithm>

#include "base/errors.hpp"

namespace gradwire {

void RunningWork::start(Stream stream, double now, double seconds) {
  GW_CHECK(stream != Stream::kCommunication, "communication is no work");
  Work& work = works_[static_cast<std::size_t>(stream)];
  GW_CHECK(!work.running, "a stream runs one op at a time");
  work = {true, seconds, now, 1.0, now + seconds};
  update(now);
}

void RunningWork::end(Stream stream, double now) {
  works_[static_cast<std::size_t>(stream)].running = false;
  update(now);
}

void RunningWork::set_disturbed(bool disturbed, double now) {
  if (disturbed == disturbed_) return;
  disturbed_ = disturbed;
  update(now);
}

double RunningWork::pace_of(Stream stream) const {
  if (stream == Stream::kHost) return 1.0;
  const double slowdown = disturbed_ ? overlap_slowdown_ : 1.0;
  const bool shares = device_share_ && stream != Stream::kFree && is_running(Stream::kCompute) &&
                      is_running(Stream::kSide);
  return shares ? 2.0 * slowdown : slowdown;
}

/// Works whose pace stays keep their end to the bit, whatever starts and ends beside them.
void RunningWork::update(double now) {
  for (const Stream stream : {Stream::kCompute, Stream::kSide, Stream::kFree}) {
    Work& work = works_[static_cast<std::size_t>(stream)];
    if (!work.running) continue;
    const double pace = pace_of(stream);
    if (pace == work.pace) continue;
    work.left = std::max(0.0, work.left - (now - work.since) / work.pace);
    work.since = now;
    work.pace = pace;
    work.end = now + work.left * pace;
  }
}

}  // namespace gradwire
