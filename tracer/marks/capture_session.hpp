#pragma once

#include <cstdlib>
#include <string>

#include "tracer/marks/gradwire_marks.hpp"

namespace gradwire {

/// For programs that trace themselves, without `gradwire trace`: records this process from here to
/// stop() or the end of the scope. Make it before the first CUDA and NCCL call: what these say of
/// themselves is only heard from then on.
class CaptureSession {
 public:
  struct Options {
    std::string output;   ///< writes <output>.<host>.<rank>.<process>.gwc; empty: $GRADWIRE_CAPTURE
    std::string library;  ///< path of libgradwire_tracer.so; empty: as TracerLibrary::load says
  };

  /// Never throws for what fails in tracing: then the program runs untraced.
  explicit CaptureSession(const Options& options) {
    if (!TracerLibrary::load(options.library, why_not_)) return;
    const TracerFunctions& tracer = TracerLibrary::functions();
    // NVTX reads it at the first call of each library; a tool that the user named stays.
    setenv("NVTX_INJECTION64_PATH", TracerLibrary::path().c_str(), 0);
    if (tracer.recording() != 0) {
      started_ = true;  // by `gradwire trace`, whose session it stays
      return;
    }
    const char* const output = options.output.empty() ? nullptr : options.output.c_str();
    started_ = ours_ = tracer.start(output) != 0;
    if (started_) {
      tracer.fact("marks", "C++");
    } else {
      why_not_ = "the tracer could not start; its sentence on stderr says why";
    }
  }
  ~CaptureSession() { stop(); }
  CaptureSession(const CaptureSession&) = delete;
  CaptureSession& operator=(const CaptureSession&) = delete;

  /// Whether this process is recorded.
  bool started() const { return started_; }

  /// A sentence; empty when it started.
  const std::string& why_not() const { return why_not_; }

  /// Ends the recording and completes the file. A session of `gradwire trace` goes on.
  void stop() {
    if (ours_) TracerLibrary::functions().stop();
    started_ = ours_ = false;
  }

 private:
  bool started_ = false;
  bool ours_ = false;
  std::string why_not_;
};

}  // namespace gradwire
