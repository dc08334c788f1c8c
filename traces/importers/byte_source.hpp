#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace gradwire {

/// What was wrong with the end of a byte source.
struct SourceDamage {
  std::string text;         ///< one sentence: what was found and where
  bool loses_data = false;  ///< bytes that should be there are missing
};

/// The bytes of a file, unzipped when it is gzip (one or more members; told by its magic, never by
/// its name). Files of any size: nothing is kept but the decoder's own window.
class ByteSource {
 public:
  /// Throws InputError naming the path when it is missing, a directory or unreadable.
  explicit ByteSource(const std::filesystem::path& path);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// Reads up to `size` bytes into `out`; 0 only at the end. Throws InputError when the system
  /// refuses.
  std::size_t read(char* out, std::size_t size);

  bool is_gzip() const;

  /// Known once `read` has returned 0.
  const std::optional<SourceDamage>& damage() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The first bytes (at most `size`) of what `path` holds, unzipped. Throws as ByteSource.
std::string read_head(const std::filesystem::path& path, std::size_t size);

}  // namespace gradwire
