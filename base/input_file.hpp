#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace gradwire {

/// Opens `path` for binary reading. Throws InputError naming the path when it is missing, a
/// directory or unreadable.
std::ifstream open_input(const std::filesystem::path& path);

/// The whole content of a small file (configuration, parameter lists). Throws as `open_input`.
std::string read_whole_file(const std::filesystem::path& path);

}  // namespace gradwire
