// Stands in for libgradwire_tracer.so in the tests of the Python hook: writes each call as a line
// of
// <$GRADWIRE_CAPTURE>.<pid>.log, in the order of the calls.
#include "tracer/marks/gradwire_tracer.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace {

std::mutex lock;

/// A forked child gets a file of its own, so that the tests see whether it called.
std::FILE* log_file() {
  static std::FILE* file = nullptr;
  static pid_t owner = 0;
  if (owner != getpid()) {
    owner = getpid();
    char path[4096];
    std::snprintf(path, sizeof path, "%s.%d.log", std::getenv("GRADWIRE_CAPTURE"), owner);
    file = std::fopen(path, "a");
    std::setvbuf(file, nullptr, _IOLBF, 0);
  }
  return file;
}

}  // namespace

extern "C" {

[[gnu::visibility("default")]] void gw_mark(int kind, std::uint64_t number) {
  const std::lock_guard guard(lock);
  std::fprintf(log_file(), "mark\t%d\t%" PRIu64 "\t%ld\n", kind, number, syscall(SYS_gettid));
}

[[gnu::visibility("default")]] void gw_parameter(std::uint64_t number, const char* name,
                                                 const std::int64_t* shape,
                                                 std::uint32_t dimensions, const char* dtype) {
  const std::lock_guard guard(lock);
  std::fprintf(log_file(), "parameter\t%" PRIu64 "\t%s\t%s\t", number, name, dtype);
  for (std::uint32_t i = 0; i < dimensions; ++i) {
    std::fprintf(log_file(), i == 0 ? "%" PRId64 : ",%" PRId64, shape[i]);
  }
  std::fprintf(log_file(), "\n");
}

[[gnu::visibility("default")]] void gw_fact(const char* name, const char* value) {
  const std::lock_guard guard(lock);
  std::fprintf(log_file(), "fact\t%s\t%s\n", name, value);
}

}  // extern "C"
