#include "compressors/reference/reference_registry.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"
#include "compressors/spec/registry.hpp"

namespace gradwire {

const std::vector<ReferenceEntry>& references() {
  static const std::vector<ReferenceEntry> kEntries = {
      {"none", make_none_reference},       {"fp16", make_fp16_reference},
      {"bf16", make_bf16_reference},       {"powersgd", make_powersgd_reference},
      {"signsgd", make_signsgd_reference}, {"ef-signsgd", make_ef_signsgd_reference},
      {"mstopk", make_mstopk_reference},   {"topk", make_topk_reference},
      {"randomk", make_randomk_reference}, {"qsgd", make_qsgd_reference},
  };
  return kEntries;
}

RankReference make_reference(std::string_view spelling, const std::vector<TensorShape>& shapes,
                             std::uint64_t seed, int rank) {
  NamedScheme named = parse_named_scheme(spelling);
  const ReferenceSetting setting{
      *named.scheme, named.parameters, shapes, named.scheme->transfers(shapes), seed, rank};
  for (const ReferenceEntry& entry : references()) {
    if (entry.scheme == named.name) return {entry.make(setting), setting.transfers};
  }
  throw InputError(fmt::format("compressor: \"{}\" has no reference implementation", named.name));
}

}  // namespace gradwire
