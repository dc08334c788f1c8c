#include "base/output_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/errors.hpp"

namespace gradwire {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, const char* reason) {
  throw EnvironmentError(fmt::format("{}: cannot be written: {}", path.string(), reason));
}

}  // namespace

OutputFile::OutputFile(std::filesystem::path path) : path_(std::move(path)) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path_, ignored)) refuse(path_, "it is a directory");
  const bool exists = std::filesystem::exists(path_, ignored);
  if (exists && access(path_.c_str(), W_OK) != 0) refuse(path_, std::strerror(errno));
  const bool special = exists && !std::filesystem::is_regular_file(path_, ignored);
  if (exists && !special) path_ = std::filesystem::canonical(path_);
  if (!special) {
    draft_ = path_.parent_path() /
             fmt::format(".{}.{}.part", path_.filename().string(), static_cast<long>(getpid()));
  }
  errno = 0;
  stream_.open(special ? path_ : draft_, std::ios::binary | std::ios::trunc);
  if (!stream_) refuse(path_, std::strerror(errno));
}

OutputFile::~OutputFile() {
  if (draft_.empty()) return;
  stream_.close();
  std::error_code ignored;
  std::filesystem::remove(draft_, ignored);
}

void OutputFile::commit() {
  errno = 0;
  stream_.close();
  if (stream_.fail()) refuse(path_, errno != 0 ? std::strerror(errno) : "the write failed");
  if (draft_.empty()) return;
  std::error_code error;
  std::filesystem::rename(draft_, path_, error);
  if (error) refuse(path_, error.message().c_str());
  draft_.clear();
}

void check_writable(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_other(path, ignored)) OutputFile{path};
}

void refuse_overwriting(const std::filesystem::path& input, const std::filesystem::path& output) {
  std::error_code ignored;  // a file that is not there is nobody's input
  if (std::filesystem::is_regular_file(output, ignored) &&
      std::filesystem::equivalent(input, output, ignored)) {
    throw InputError(fmt::format("{}: is the input {} itself; another file is accepted",
                                 output.string(), input.string()));
  }
}

OutputDirectory::OutputDirectory(const std::filesystem::path& path) {
  std::error_code error;
  for (std::filesystem::path folder = path;
       !folder.empty() && !std::filesystem::exists(folder, error); folder = folder.parent_path()) {
    made_.push_back(folder);
  }
  std::filesystem::create_directories(path, error);
  if (error) {
    remove_made();
    refuse(path, error.message().c_str());
  }
  if (access(path.c_str(), W_OK) != 0) refuse(path, std::strerror(errno));
}

OutputDirectory::~OutputDirectory() { remove_made(); }

void OutputDirectory::remove_made() {
  std::error_code ignored;  // one that is not empty stays
  for (const std::filesystem::path& folder : made_) std::filesystem::remove(folder, ignored);
}

}  // namespace gradwire
