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

/// ".results.csv.1234.part", beside the file itself.
std::filesystem::path draft_of(const std::filesystem::path& path, const std::string& process) {
  return path.parent_path() / fmt::format(".{}.{}.part", path.filename().string(), process);
}

/// What processes that were killed left of `path`: drafts whose process is gone.
void remove_orphaned_drafts(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const std::string head = "." + path.filename().string() + ".";
  constexpr std::string_view kTail = ".part";
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(head) || !name.ends_with(kTail)) continue;
    if (name.size() <= head.size() + kTail.size()) continue;
    const std::string process = name.substr(head.size(), name.size() - head.size() - kTail.size());
    const bool is_number = process.find_first_not_of("0123456789") == std::string::npos;
    if (!is_number || std::filesystem::exists("/proc/" + process, ignored)) continue;
    std::filesystem::remove(entry.path(), ignored);
  }
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
    remove_orphaned_drafts(path_);
    draft_ = draft_of(path_, std::to_string(getpid()));
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
