#pragma once

#include "traces/importers/importer.hpp"

namespace gradwire {

/// The Chrome trace JSON that PyTorch's profiler (Kineto) writes, versions 1.8 to 2.6, plain or
/// gzip.
class KinetoImporter : public Importer {
 public:
  std::string_view name() const override;
  bool sniff(std::string_view head) const override;
  Imported read(const std::filesystem::path& path, const ImportOptions& options) const override;
};

}  // namespace gradwire
