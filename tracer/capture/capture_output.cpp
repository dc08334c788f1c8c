#include "tracer/capture/capture_output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "tracer/capture/complain.hpp"

namespace gradwire {
namespace {

/// The sentence's end; strerror may allocate, so the few that happen are named here.
const char* reason(int error) {
  switch (error) {
    case ENOSPC:
      return "the disk is full";
    case EDQUOT:
      return "the disk quota is used up";
    case EFBIG:
      return "the limit of a file's size is reached (ulimit -f)";
    case EACCES:
    case EPERM:
      return "permission denied";
    case ENOENT:
      return "its folder does not exist";
    case EROFS:
      return "the file system is read-only";
    case EMFILE:
    case ENFILE:
      return "too many files are open";
    case EIO:
      return "input/output error";
    default:
      return "the system refuses";
  }
}

}  // namespace

CaptureOutput::~CaptureOutput() { close(); }

bool CaptureOutput::create(const char* prefix, const char* host, std::int64_t rank,
                           std::int64_t process) {
  char rank_text[24] = "norank";
  if (rank >= 0) {
    std::snprintf(rank_text, sizeof rank_text, "%lld", static_cast<long long>(rank));
  }
  constexpr int kTries = 10'000;
  for (int number = 1; number <= kTries; ++number) {
    char suffix[16] = "";
    if (number > 1) std::snprintf(suffix, sizeof suffix, ".%d", number);
    const int size = std::snprintf(path_, sizeof path_, "%s.%s.%s.%lld%s.gwc", prefix, host,
                                   rank_text, static_cast<long long>(process), suffix);
    if (size < 0 || static_cast<std::size_t>(size) >= sizeof path_) {
      complain("this process is not recorded: the name of its capture file is too long (%.100s...)",
               prefix);
      return false;
    }
    descriptor_ = open(path_, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ >= 0) return true;
    if (errno != EEXIST) break;
  }
  complain("this process is not recorded: %s cannot be created, %s (error %d)", path_,
           reason(errno), errno);
  return false;
}

void CaptureOutput::adopt(int descriptor) { descriptor_ = descriptor; }

void CaptureOutput::begin() { write_whole(kMagic); }

void CaptureOutput::write_whole(std::string_view piece) {
  if (failed_ || descriptor_ < 0) return;
  std::size_t at = 0;
  while (at < piece.size()) {
    const ssize_t size = write(descriptor_, piece.data() + at, piece.size() - at);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) {
      failed_ = true;
      const int error = size < 0 ? errno : ENOSPC;
      complain("the recording ends here: %s cannot be written on, %s (error %d)", path_,
               reason(error), error);
      // Readable even where this fails: a reader drops a short last chunk.
      if (at > 0 && ftruncate(descriptor_, written_) != 0) return;
      return;
    }
    at += static_cast<std::size_t>(size);
  }
  written_ += static_cast<std::int64_t>(piece.size());
}

void CaptureOutput::close() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

}  // namespace gradwire
