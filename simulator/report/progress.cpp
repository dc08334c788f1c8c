#include "simulator/report/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>

namespace gradwire {

std::string progress_text(std::size_t done, std::size_t all, const std::string& what,
                          std::size_t done_meanwhile, double seconds) {
  std::string text = fmt::format("{} of {} {}", done, all, what);
  if (seconds <= 0.0 || done_meanwhile == 0) return text;
  const double rate = static_cast<double>(done_meanwhile) / seconds;
  return fmt::format("{}, {:.1f}/s, {:.0f} s left", text, rate,
                     std::ceil(static_cast<double>(all - done) / rate));
}

void Progress::show(std::size_t done, std::size_t all) {
  const Clock::time_point now = Clock::now();
  const bool terminal = isatty(STDERR_FILENO) != 0;
  if (!begun_) {
    begun_ = true;
    first_done_ = done;
    begin_ = shown_ = now;
    return;
  }
  const auto pause = terminal ? std::chrono::milliseconds{100} : std::chrono::seconds{10};
  const bool ended = terminal && done == all;
  if (now - shown_ < pause && !ended) return;
  shown_ = now;
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  const std::string text = progress_text(done, all, what_, done - first_done_, seconds);
  if (terminal) {
    // A shorter line must not leave the end of a longer one standing.
    fmt::print(stderr, "\r{:<60}{}", text, ended ? "\n" : "");
  } else {
    fmt::print(stderr, "{}\n", text);
  }
  std::fflush(stderr);
}

}  // namespace gradwire
