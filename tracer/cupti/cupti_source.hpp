#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tracer/capture/activity_source.hpp"
#include "tracer/cupti/cuda_driver.hpp"
#include "tracer/cupti/cupti_api.hpp"

namespace gradwire {

class BufferPool;

/// Records by CUPTI's activity interface. One a process: CUPTI's callbacks carry no pointer of
/// ours.
class CuptiSource final : public ActivitySource {
 public:
  const char* start(BufferPool& pool) override;
  void flush(bool forced) override;
  void decode(const FullBuffer& buffer, RecordSink& sink) override;
  void devices(RecordSink& sink) override;
  std::uint64_t dropped_records() override;
  bool fact(std::size_t index, const char*& name, const char*& value) override;
  void stop() override;

 private:
  const char* claim();
  const char* enable(BufferPool& pool);
  const char* refuse(const char* what, CUptiResult result);
  void enable_calls();
  void disable_all();
  void note_refused(const char* what, CUptiResult result);
  bool is_recording() const;

  CudaDriver driver_;
  CuptiApi api_;
  CUpti_SubscriberHandle subscriber_ = nullptr;
  bool one_by_one_ = false;         ///< calls are asked for by callback id
  std::uint64_t devices_seen_ = 0;  ///< a bit a device, of the writer thread
  std::uint64_t devices_told_ = 0;
  std::atomic<bool> recording_{false};
  std::atomic<std::uint64_t> dropped_at_stop_{0};
  char version_text_[16] = "";
  char driver_text_[16] = "";
  char refused_[256] = "";
  char sentence_[1024] = "";
};

}  // namespace gradwire
