#pragma once

#include <cstdint>
#include <string_view>

namespace gradwire {

/// The .gwc file of one session: whole pieces written by write(2). The first write that fails is
/// one sentence on stderr, takes back what it wrote of its piece, and no other follows.
class CaptureOutput {
 public:
  CaptureOutput() = default;
  ~CaptureOutput();
  CaptureOutput(const CaptureOutput&) = delete;
  CaptureOutput& operator=(const CaptureOutput&) = delete;

  /// Creates PREFIX.<host>.<rank or norank>.<process>.gwc, or with .2, .3, ... before .gwc when
  /// that exists. False: not possible, and a sentence said why.
  bool create(const char* prefix, const char* host, std::int64_t rank, std::int64_t process);

  /// Writes to `descriptor`, which is closed with this.
  void adopt(int descriptor);

  /// Magic and version.
  void begin();

  void write_whole(std::string_view piece);

  bool failed() const { return failed_; }
  const char* path() const { return path_; }
  void close();

  static constexpr std::string_view kMagic{"\x89GWC\r\n\x1a\n\x01\0\0\0", 12};

 private:
  int descriptor_ = -1;
  bool failed_ = false;
  std::int64_t written_ = 0;  ///< whole pieces
  char path_[4096] = "";
};

}  // namespace gradwire
