#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace gradwire {

/// Tells on stderr how far long work is: one line that is written over on a terminal, else a plain
/// line every ten seconds. Written from the caller's own thread.
class Progress {
 public:
  explicit Progress(std::string what) : what_(std::move(what)) {}

  /// `done` of `all` are done; the rate and the time left count from the first call.
  void show(std::size_t done, std::size_t all);

 private:
  using Clock = std::chrono::steady_clock;

  std::string what_;
  bool begun_ = false;
  std::size_t first_done_ = 0;
  Clock::time_point begin_;
  Clock::time_point shown_;
};

/// "120 of 280 cells, 93.1/s, 2 s left"; without a rate while `seconds` is 0.
std::string progress_text(std::size_t done, std::size_t all, const std::string& what,
                          std::size_t done_meanwhile, double seconds);

}  // namespace gradwire
