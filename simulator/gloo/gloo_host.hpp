#pragma once

#include <string_view>

#include "base/units.hpp"

namespace gradwire {

/// The machine on whose processors Gloo runs its collectives. Every cost is CPU time of one core,
/// in seconds a byte of what it names; no defaults, because they are those of one machine.
struct GlooHost {
  int cores = 1;                ///< shared by all ranks
  int collectives_at_once = 1;  ///< threads of a rank's process group; ProcessGroupGloo has 2
  Bytes segment{0};             ///< largest piece that the ring sends at once
  bool on_device = false;       ///< the backward pass goes on while the rank's thread copies
  double make = 0.0;            ///< a float32 byte of a gradient, made beside the device's own time
  double copy_in = 0.0;         ///< a float32 byte scaled into its bucket
  double copy_out = 0.0;        ///< a float32 byte of a bucket copied back
  double cast_in = 0.0;         ///< a float32 byte of a bucket cast to float16 and divided
  double cast_out = 0.0;        ///< a float32 byte of a bucket cast back
  double wire = 0.0;            ///< a byte that a rank sends and another receives
  double reduce = 0.0;          ///< a received float32 byte added
  double reduce_float16 = 0.0;  ///< a received float16 byte added

  /// The cost of that name ("copy_in", ...). Throws InputError listing the names.
  double& cost_named(std::string_view name);
};

}  // namespace gradwire
