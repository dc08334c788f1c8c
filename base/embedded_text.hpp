#pragma once

#include <string_view>

namespace gradwire {

/// A text file that was put into the program when it was built (cmake/GradwireEmbed.cmake).
struct EmbeddedText {
  std::string_view name;  ///< the file's name without folder and extension
  std::string_view text;
};

}  // namespace gradwire
