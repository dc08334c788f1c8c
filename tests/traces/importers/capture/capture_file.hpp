#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "traces/importers/importer.hpp"

namespace gradwire::test {

/// Writes capture files (.gwc) by the generated code. Times are microseconds behind kCaptureBase;
/// the process is 77.
class CaptureFile {
 public:
  CaptureFile();
  ~CaptureFile();
  CaptureFile(CaptureFile&&) noexcept;

  CaptureFile& rank(int rank, int world_size);
  CaptureFile& host(const std::string& name);
  CaptureFile& window(int skip, int keep);
  CaptureFile& header_fact(const std::string& name, const std::string& value);
  CaptureFile& device(unsigned index, const std::string& name);
  /// A kernel and nothing else.
  CaptureFile& kernel(const std::string& name, double start, double duration, unsigned correlation,
                      unsigned stream = 7, unsigned device = 0);
  /// The kernel written last is a node of a CUDA graph.
  CaptureFile& node(unsigned graph, std::uint64_t node);
  CaptureFile& untimed();  ///< so is the operation written last
  CaptureFile& copy(double start, double duration, unsigned correlation, std::uint64_t bytes);
  CaptureFile& call(double start, std::uint64_t thread, unsigned correlation,
                    unsigned callback = 211, bool driver = false);
  /// A kernel whose launch begins 5 us before it.
  CaptureFile& launched(const std::string& name, double start, double duration,
                        std::uint64_t thread, unsigned device = 0);
  CaptureFile& mark(int kind, std::uint64_t number, double time, std::uint64_t thread);
  CaptureFile& parameter(std::uint64_t number, const std::string& name, const std::string& dtype,
                         const std::vector<std::int64_t>& shape);
  CaptureFile& fact(const std::string& name, const std::string& value);
  CaptureFile& domain(std::uint64_t domain, const std::string& name);
  CaptureFile& push(const std::string& text, double time, std::uint64_t thread,
                    std::uint64_t domain = 0);
  /// The range pushed last carries what NCCL says of a call.
  CaptureFile& nccl_payload(unsigned sid, std::uint64_t bytes);
  CaptureFile& pop(double time, std::uint64_t thread, std::uint64_t domain = 0);
  CaptureFile& overhead(double start, double duration);
  CaptureFile& tally(std::uint64_t dropped, std::uint64_t unknown, std::uint64_t unreturned);
  CaptureFile& clocks(std::int64_t realtime_ns, std::int64_t monotonic_ns);
  CaptureFile& end_chunk();

  /// The file; without `closing` as a killed process leaves it.
  std::string bytes(bool closing = true);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// 2023-11-14T22:13:20Z, in ns.
inline constexpr std::int64_t kCaptureBase = 1'700'000'000'000'000'000;

/// Training on one GPU as the PyTorch hook marks it: an iteration a 1000 us from 100 us on,
/// numbered from 0. Thread 1 launches forward (3 kernels) and optimiser (1), thread 2 the backward
/// pass (3); "b" (10 x 4, float32) and then "a" (10) become ready with the second and third kernel.
CaptureFile training_capture(int iterations, bool marks = true);

/// Imports `bytes` as a file.
Imported import_capture(const std::string& bytes, bool strict = false);

/// Times that `kind` was counted.
std::uint64_t defects_of(const ImportReport& report, const std::string& kind);

}  // namespace gradwire::test
