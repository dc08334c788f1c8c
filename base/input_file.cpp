#include "base/input_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <iterator>

#include "base/errors.hpp"

namespace gradwire {

std::ifstream open_input(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw InputError(fmt::format("{}: is a directory; a file is accepted", path.string()));
  }
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    throw InputError(fmt::format("{}: cannot be read: {}", path.string(), std::strerror(errno)));
  }
  return stream;
}

std::string read_whole_file(const std::filesystem::path& path) {
  std::ifstream stream = open_input(path);
  std::string content{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (stream.bad()) throw InputError(fmt::format("{}: reading it failed", path.string()));
  return content;
}

}  // namespace gradwire
