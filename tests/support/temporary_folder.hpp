#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace gradwire::test {

/// An empty folder that goes with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

  /// Writes a file of this folder and returns its path.
  std::filesystem::path write(const std::string& name, std::string_view content) const;

  /// Number of entries, hidden ones included.
  std::size_t entries() const;

 private:
  std::filesystem::path path_;
};

}  // namespace gradwire::test
