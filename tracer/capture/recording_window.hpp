#pragma once

#include <cstdint>

namespace gradwire {

/// Which part of a run is written, by --skip K and --iterations N: from the begin of iteration K+1
/// to the begin of the second one after the last that is wanted, so that the device work of that
/// one is in. Rough on purpose: the reader cuts exactly. A run without marks is written whole.
class RecordingWindow {
 public:
  RecordingWindow() = default;
  /// Below 0: not given.
  RecordingWindow(std::int64_t skip, std::int64_t iterations)
      : skip_(skip > 0 ? skip : 0), iterations_(iterations) {}

  /// A mark GW_ITERATION_BEGIN at `time_ns`, in order.
  void begin_iteration(std::uint64_t time_ns) {
    if (++begun_ == skip_ + 1 && (skip_ > 0 || iterations_ > 0)) opened_ns_ = time_ns;
  }

  /// Whether to write what ended then on the device or in a call. Ask only when the marks made
  /// before that time have been told.
  bool keeps(std::uint64_t end_ns) const {
    if (begun_ == 0) return true;
    return begun_ > skip_ && end_ns >= opened_ns_;
  }

  bool over() const { return iterations_ > 0 && begun_ >= skip_ + iterations_ + 2; }

 private:
  std::int64_t skip_ = 0;
  std::int64_t iterations_ = -1;
  std::int64_t begun_ = 0;
  std::uint64_t opened_ns_ = 0;
};

}  // namespace gradwire
