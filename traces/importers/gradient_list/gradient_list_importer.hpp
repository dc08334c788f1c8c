#pragma once

#include "traces/importers/importer.hpp"

namespace gradwire {

/// Gradients in gradient-ready order with sizes and ready times (or gaps) in microseconds: as CSV
/// with `# key: value` lines for what is known of the whole, or as one JSON object with `tensors`
/// (docs/formats/gradient-list.md). Gives one inferred iteration with a backward pass from 0 to
/// `backward_us`, or else to the last ready time, and no kernels. Plain or gzip.
class GradientListImporter : public Importer {
 public:
  std::string_view name() const override;
  bool sniff(std::string_view head) const override;
  Imported read(const std::filesystem::path& path, const ImportOptions& options) const override;
};

}  // namespace gradwire
