#include "tracer/capture/activity_source.hpp"
#include "tracer/capture/session.hpp"

namespace gradwire {
namespace {

/// For a build without the CUDA toolkit: marks are recorded, the device's work is not.
class NoActivitySource final : public ActivitySource {
 public:
  const char* start(BufferPool& /*pool*/) override {
    return "kernels are not recorded: this gradwire was built without the CUDA toolkit "
           "(-DGRADWIRE_CUDA=ON)";
  }
  void flush(bool /*forced*/) override {}
  void decode(const FullBuffer& /*buffer*/, RecordSink& /*sink*/) override {}
  void devices(RecordSink& /*sink*/) override {}
  std::uint64_t dropped_records() override { return 0; }
  bool fact(std::size_t /*index*/, const char*& /*name*/, const char*& /*value*/) override {
    return false;
  }
  void stop() override {}
};

constinit NoActivitySource g_source;

}  // namespace

ActivitySource& activity_source() { return g_source; }

}  // namespace gradwire

extern "C" {

/// What cuInit calls in the library that CUDA_INJECTION64_PATH names; 1: go on.
[[gnu::visibility("default")]] int InitializeInjection();  // NOLINT(readability-identifier-naming)
int InitializeInjection() {
  gradwire::driver_is_coming();
  return 1;
}

}  // extern "C"
