#pragma once

#include <filesystem>
#include <fstream>
#include <vector>

namespace gradwire {

/// A file that appears whole or not at all: writes go to a hidden neighbour, `commit` renames it
/// into place, and destruction without `commit` removes it; what a killed process left of it is
/// removed by the next. A link keeps pointing where it does,
/// and what is no regular file (/dev/stdout, a pipe) is written straight away.
class OutputFile {
 public:
  /// Throws EnvironmentError naming the path when it is a directory or cannot be written.
  explicit OutputFile(std::filesystem::path path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  std::ostream& stream() { return stream_; }

  /// Flushes and puts the file in its place. Throws EnvironmentError when the disk refuses.
  void commit();

 private:
  std::filesystem::path path_;
  std::filesystem::path draft_;
  std::ofstream stream_;
};

/// Refuses an unwritable `path` before long work, as OutputFile does, and leaves nothing behind.
/// What is no regular file (a pipe) is not opened twice.
void check_writable(const std::filesystem::path& path);

/// Throws InputError when writing `output` would replace the file `input`.
void refuse_overwriting(const std::filesystem::path& input, const std::filesystem::path& output);

/// A folder for results, made with its parents when it is not there. Those that were made go again
/// when nothing was put into them and `keep` was not called.
class OutputDirectory {
 public:
  /// Throws EnvironmentError naming the folder when it cannot be made or written.
  explicit OutputDirectory(const std::filesystem::path& path);
  ~OutputDirectory();
  OutputDirectory(const OutputDirectory&) = delete;
  OutputDirectory& operator=(const OutputDirectory&) = delete;

  void keep() { made_.clear(); }

 private:
  void remove_made();

  std::vector<std::filesystem::path> made_;  ///< the innermost first
};

}  // namespace gradwire
