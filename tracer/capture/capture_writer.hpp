#pragma once

#include <cstdint>

#include "tracer/capture/capture_encoder.hpp"
#include "tracer/capture/capture_output.hpp"
#include "tracer/capture/recording_window.hpp"
#include "tracer/capture/records.hpp"

namespace gradwire {

/// From records to the file: filters, counts, encodes, writes. On the writer thread alone.
class CaptureWriter final : public RecordSink {
 public:
  /// Gets the memory; false: the system has none.
  bool open(const CaptureOptions& options);

  CaptureOutput& output() { return output_; }
  const CaptureCounts& counts() const { return counts_; }

  /// Magic, version and the first chunk.
  void begin(const CaptureProcess& process);

  void take(const DeviceOperation& operation) override;
  void take(const HostCall& call) override;
  void take(const CaptureSpan& span) override;
  void take(const CaptureDevice& device) override;
  void take(const TimedHostEvent& event);
  void count_unknown_record() override { ++counts_.unknown_records; }
  void count_lost_buffer() override { ++counts_.lost_buffers; }

  void count_dropped_records(std::uint64_t count) { counts_.dropped_records += count; }
  void set_dropped_events(std::uint64_t count) { counts_.dropped_events = count; }
  void set_unreturned_buffers(std::uint64_t count) { counts_.unreturned_buffers = count; }

  /// Writes what came since the last chunk, with the tally; nothing when nothing came.
  void flush();

  /// The last chunk.
  void finish();

  /// The window is over or the file cannot be written: nothing more will be.
  bool done() const { return window_.over() || output_.failed(); }

 private:
  void write_when_full();
  void write_chunk();
  void put_tally();

  CaptureOptions options_;
  RecordingWindow window_;
  CaptureEncoder encoder_;
  CaptureOutput output_;
  CaptureCounts counts_;
  CaptureCounts told_;
};

}  // namespace gradwire
