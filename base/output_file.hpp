#pragma once

#include <filesystem>
#include <fstream>

namespace gradwire {

/// A file that appears whole or not at all: writes go to a hidden neighbour, `commit` renames it
/// into place, and destruction without `commit` removes it. A link keeps pointing where it does,
/// and what is no regular file
/// (/dev/stdout, a pipe) is written straight away.
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

/// Creates `directory` and its parents. Throws EnvironmentError naming it when that fails.
void make_output_directory(const std::filesystem::path& directory);

}  // namespace gradwire
