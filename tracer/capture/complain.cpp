#include "tracer/capture/complain.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>

namespace gradwire {

void complain(const char* format, ...) {
  const int saved = errno;  // a traced program may be about to read it
  char line[1024] = "gradwire: ";
  constexpr int kPrefix = 10;
  constexpr int kRoom = static_cast<int>(sizeof line) - kPrefix - 1;
  std::va_list arguments;
  va_start(arguments, format);
  const int wanted = std::vsnprintf(line + kPrefix, kRoom, format, arguments);
  va_end(arguments);
  int size = kPrefix + std::clamp(wanted, 0, kRoom - 1);
  line[size++] = '\n';
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line, static_cast<size_t>(size));
  errno = saved;
}

}  // namespace gradwire
