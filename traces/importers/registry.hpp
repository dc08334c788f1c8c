#pragma once

#include <filesystem>

#include "traces/importers/importer.hpp"

namespace gradwire {

/// Reads a trace of any known format, ours included (.gwt, then Kineto, then lists of gradients).
/// Throws InputError naming the file when no format fits, and as the format's reader does.
Imported import_trace(const std::filesystem::path& path, const ImportOptions& options);

}  // namespace gradwire
