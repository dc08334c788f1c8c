#pragma once

#include "traces/importers/importer.hpp"

namespace gradwire {

/// A CSV of gradients in gradient-ready order: sizes and ready times (or gaps) in microseconds,
/// with
/// `# key: value` lines for what is known of the whole (docs/formats/gradient-list.md). Gives one
/// inferred iteration with a backward pass from 0 to `backward_us`, or else to the last ready time,
/// and no kernels. Plain or gzip.
class GradientListImporter : public Importer {
 public:
  std::string_view name() const override;
  bool sniff(std::string_view head) const override;
  Imported read(const std::filesystem::path& path, const ImportOptions& options) const override;
};

}  // namespace gradwire
