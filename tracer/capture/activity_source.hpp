#pragma once

#include <cstddef>
#include <cstdint>

#include "tracer/capture/records.hpp"

namespace gradwire {

class BufferPool;

/// A buffer that the profiler has filled.
struct FullBuffer {
  std::uint8_t* bytes = nullptr;
  std::size_t size = 0;  ///< valid bytes
  void* context = nullptr;
  std::uint32_t stream = 0;
};

/// What a session needs of a profiler. CUPTI is the real one (tracer/cupti); tests have a fake. No
/// function throws; what fails is said by a sentence.
class ActivitySource {
 public:
  /// Claims the profiler and starts recording into buffers of `pool`, which outlives it. Null, or
  /// one sentence that says why not and what the user can do; the string lives for ever.
  virtual const char* start(BufferPool& pool) = 0;

  /// Asks for what is complete; `forced`: also for what is not. Any of our threads.
  virtual void flush(bool forced) = 0;

  /// Decodes one buffer into `sink`: on the writer thread alone.
  virtual void decode(const FullBuffer& buffer, RecordSink& sink) = 0;

  /// Facts of devices seen since the last call: on the writer thread alone.
  virtual void devices(RecordSink& sink) = 0;

  /// Records that the profiler dropped since the last call.
  virtual std::uint64_t dropped_records() = 0;

  /// Name and value of the source's `index`-th fact for the file's header ("cupti" "130001"); false
  /// when there are no more.
  virtual bool fact(std::size_t index, const char*& name, const char*& value) = 0;

  /// Stops recording and gives the profiler back; buffers still come until it returns.
  virtual void stop() = 0;

 protected:
  ~ActivitySource() = default;
};

/// The source that this library was built with: CUPTI, or (without the CUDA toolkit) one whose
/// start says that kernels are not recorded. Lives for ever.
ActivitySource& activity_source();

}  // namespace gradwire
