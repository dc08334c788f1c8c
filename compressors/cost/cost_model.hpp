#pragma once

#include <string>
#include <vector>

#include "base/units.hpp"
#include "compressors/cost/cost_profile.hpp"
#include "compressors/spec/scheme.hpp"

namespace gradwire {

/// What one exchange costs a rank beside its collectives.
struct EncodeDecodeCost {
  Seconds encode{0};
  Seconds decode{0};
  std::string standing;  ///< an entry's own, "interpolated" between measured ones, or "derived"
  std::string source;
  /// What a reader must know before trusting it, one sentence each: above all every extrapolation.
  std::vector<std::string> notes;
  bool is_entry = false;  ///< of the profile's figures; else its model's answer

  Seconds total() const { return encode + decode; }
};

/// Which of several figures for the same question is taken.
enum class CostChoice {
  kStandard,     ///< entries that are no alternatives, then the model
  kAlternative,  ///< alternatives first
};

/// Encoding and decoding all `tensors` in one exchange among `ranks` (1 or more). An entry that
/// fits scheme, elements, tensors and ranks wins (one for exactly these ranks before one for any);
/// then the line between measured ones (`interpolate_cost`); otherwise the profile's model on
/// `Scheme::work`, marked derived, with a note for each way in which it goes beyond the profile's
/// figures.
EncodeDecodeCost encode_decode_cost(const CostProfile& profile, const Scheme& scheme,
                                    const std::vector<TensorShape>& tensors, int ranks,
                                    CostChoice choice = CostChoice::kStandard);

}  // namespace gradwire
