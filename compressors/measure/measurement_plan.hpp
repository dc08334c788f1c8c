#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"
#include "compressors/measure/measured_device.hpp"
#include "compressors/measure/model_shapes.hpp"

namespace gradwire {

/// What shall be measured.
struct MeasurementRequest {
  std::vector<std::string> schemes;  ///< as parse_scheme reads them
  std::vector<Elements> sizes;       ///< of one flat tensor
  std::vector<MeasuredModel> models;
  std::vector<int> ranks;  ///< for schemes whose decode grows with the ranks
};

/// What is measured where the user does not say: every scheme but `none` with the study's
/// parameters and their neighbours; on a CPU 2^10 to 2^20 elements and ResNet-50, on a GPU 2^10 to
/// 2^28 and all known models; 2, 8, 32 and 96 ranks.
MeasurementRequest standard_request(DeviceKind kind);

/// "2^10..2^20" (every power of two), "2^16", "1000", several with commas; ascending, each once.
/// From 1 to 2^30 elements. Throws InputError naming `what`.
std::vector<Elements> parse_sizes(std::string_view text, std::string_view what);

/// One figure of a profile to be.
struct MeasurementPiece {
  std::string scheme;  ///< with every parameter
  std::string model;   ///< "resnet50", "2^20 elements"
  std::vector<TensorShape> shapes;
  int ranks = 0;  ///< 0: the scheme's cost is the same for any number

  /// "signsgd on 2^20 elements with 8 ranks".
  std::string text() const;
};

struct MeasurementPlan {
  std::string implementation;
  std::vector<MeasurementPiece> pieces;  ///< small ones first, so that a budget ends at the largest
  std::vector<std::string> left_out;     ///< what the request has and no piece, with the reason
};

/// Every scheme of `request` on every size and model, with all its ranks where the decode grows
/// with them. A scheme whose cost depends on the tensors' shapes is measured on models alone.
/// Throws InputError for a scheme that is unknown, stands there twice, or has nothing to encode,
/// and for a request that leaves no piece. What `implementation` does not have is left out.
MeasurementPlan make_measurement_plan(const MeasurementRequest& request,
                                      const MeasuredImplementation& implementation);

}  // namespace gradwire
