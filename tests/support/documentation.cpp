#include "tests/support/documentation.hpp"

#include <filesystem>
#include <stdexcept>

#include "base/input_file.hpp"

namespace gradwire::test {

std::string first_example_of(const std::string& page) {
  const std::string fence = "\n```\n";
  const std::string text =
      read_whole_file(std::filesystem::path(GRADWIRE_SOURCE_DIR) / "docs" / page);
  const std::size_t begin = text.find(fence);
  const std::size_t end = text.find(fence, begin + fence.size() - 1);
  if (begin == std::string::npos || end == std::string::npos) {
    throw std::runtime_error(page + " has no fenced block");
  }
  return text.substr(begin + fence.size(), end - begin - fence.size() + 1);
}

}  // namespace gradwire::test
