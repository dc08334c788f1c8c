#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "compressors/reference/reference.hpp"
#include "compressors/spec/parameters.hpp"
#include "compressors/spec/scheme.hpp"

namespace gradwire {

/// What a reference is made from. `scheme` and `parameters` live during the call alone.
struct ReferenceSetting {
  const Scheme& scheme;
  SchemeParameters& parameters;  ///< checked by the scheme already
  const std::vector<TensorShape>& shapes;
  std::vector<Transfer> transfers;  ///< of one exchange; empty where n is 0
  std::uint64_t seed;               ///< the same on all ranks
  int rank;

  Elements elements() const { return total_elements(shapes); }
};

/// One scheme that has a reference. A new one is a file and a line in reference_registry.cpp.
struct ReferenceEntry {
  std::string_view scheme;  ///< its name in compressors/spec/registry.cpp
  std::unique_ptr<Reference> (*make)(const ReferenceSetting& setting);
};

const std::vector<ReferenceEntry>& references();

// One a scheme, each in the file of that name (none, fp16 and bf16 in casts.cpp).
std::unique_ptr<Reference> make_none_reference(const ReferenceSetting& setting);
std::unique_ptr<Reference> make_fp16_reference(const ReferenceSetting& setting);
std::unique_ptr<Reference> make_bf16_reference(const ReferenceSetting& setting);
std::unique_ptr<Reference> make_powersgd_reference(const ReferenceSetting& setting);
std::unique_ptr<Reference> make_signsgd_reference(const ReferenceSetting& setting);
std::unique_ptr<Reference> make_ef_signsgd_reference(const ReferenceSetting& setting);
std::unique_ptr<Reference> make_mstopk_reference(const ReferenceSetting& setting);
std::unique_ptr<Reference> make_topk_reference(const ReferenceSetting& setting);
std::unique_ptr<Reference> make_randomk_reference(const ReferenceSetting& setting);
std::unique_ptr<Reference> make_qsgd_reference(const ReferenceSetting& setting);

}  // namespace gradwire
