// Stands in a build without CUDA where the GPU's file would.

#include <fmt/format.h>

#include "base/errors.hpp"
#include "compressors/measure/gpu_device.hpp"

namespace gradwire {

std::unique_ptr<MeasuredDevice> make_gpu_device(int index) {
  throw EnvironmentError(fmt::format(
      "--device {}: this build has no CUDA (GRADWIRE_CUDA=OFF); --cpu measures the references on "
      "this machine's CPU",
      index));
}

}  // namespace gradwire
