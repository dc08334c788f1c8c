#include "tracer/capture/capture_writer.hpp"

#include <ctime>

#include "tracer/marks/gradwire_tracer.h"

namespace gradwire {
namespace {

std::uint64_t now_ns(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace

bool CaptureWriter::open(const CaptureOptions& options) {
  options_ = options;
  window_ = RecordingWindow(options.skip, options.iterations);
  return encoder_.open();
}

void CaptureWriter::begin(const CaptureProcess& process) {
  output_.begin();
  encoder_.put(process, options_);
  write_chunk();
}

void CaptureWriter::write_chunk() { output_.write_whole(encoder_.take_frame()); }

void CaptureWriter::write_when_full() {
  if (encoder_.full()) write_chunk();
}

void CaptureWriter::take(const DeviceOperation& operation) {
  if (options_.device >= 0 && operation.device != static_cast<std::uint64_t>(options_.device)) {
    return;
  }
  if (!operation.untimed && !window_.keeps(operation.end_ns)) return;
  encoder_.put(operation);
  ++counts_.operations;
  write_when_full();
}

void CaptureWriter::take(const HostCall& call) {
  if (!window_.keeps(call.end_ns)) return;
  encoder_.put(call);
  ++counts_.calls;
  write_when_full();
}

void CaptureWriter::take(const CaptureSpan& span) {
  if (!window_.keeps(span.end_ns)) return;
  encoder_.put(span);
  write_when_full();
}

void CaptureWriter::take(const CaptureDevice& device) {
  encoder_.put(device);
  write_when_full();
}

void CaptureWriter::take(const TimedHostEvent& event) {
  if (event.event.kind == HostEventKind::kMark && event.event.id == GW_ITERATION_BEGIN) {
    window_.begin_iteration(event.time_ns);
  }
  encoder_.put(event);
  ++counts_.events;
  write_when_full();
}

void CaptureWriter::put_tally() {
  counts_.realtime_ns = now_ns(CLOCK_REALTIME);
  counts_.monotonic_ns = now_ns(CLOCK_MONOTONIC);
  encoder_.put(counts_);
  told_ = counts_;
}

void CaptureWriter::flush() {
  const bool same = counts_.operations == told_.operations && counts_.calls == told_.calls &&
                    counts_.events == told_.events &&
                    counts_.dropped_records == told_.dropped_records &&
                    counts_.dropped_events == told_.dropped_events &&
                    counts_.unknown_records == told_.unknown_records &&
                    counts_.lost_buffers == told_.lost_buffers;
  if (encoder_.empty() && same) return;
  put_tally();
  write_chunk();
}

void CaptureWriter::finish() {
  put_tally();
  encoder_.put_closing();
  write_chunk();
}

}  // namespace gradwire
