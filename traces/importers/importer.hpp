#pragma once

#include <filesystem>
#include <string_view>

#include "traces/importers/import_report.hpp"
#include "traces/model/trace.hpp"

namespace gradwire {

struct ImportOptions {
  /// Data loss is an InputError instead of a line in the report.
  bool strict = false;
};

struct Imported {
  Trace trace;
  ImportReport report;
};

/// A foreign trace format. One folder a format; the registry lists them.
class Importer {
 public:
  virtual ~Importer() = default;

  virtual std::string_view name() const = 0;

  /// True when `head`, the first bytes of the (unzipped) file, may be of this format.
  virtual bool sniff(std::string_view head) const = 0;

  /// Reads the whole file. Throws InputError when it holds no usable trace, or when
  /// `options.strict` meets data loss.
  virtual Imported read(const std::filesystem::path& path, const ImportOptions& options) const = 0;
};

}  // namespace gradwire
