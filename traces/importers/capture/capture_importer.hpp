#pragma once

#include "traces/importers/importer.hpp"

namespace gradwire {

/// The capture files (.gwc) of gradwire's own tracer: what it saw in one process, raw.
/// docs/formats/gwc.md says what is made of it.
class CaptureImporter : public Importer {
 public:
  std::string_view name() const override;
  bool sniff(std::string_view head) const override;
  Imported read(const std::filesystem::path& path, const ImportOptions& options) const override;
};

}  // namespace gradwire
