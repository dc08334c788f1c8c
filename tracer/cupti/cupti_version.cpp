#include "tracer/cupti/cupti_version.hpp"

#include <cupti.h>
#include <fmt/format.h>

#include "base/errors.hpp"

namespace gradwire {

std::uint32_t compiled_cupti_version() { return CUPTI_API_VERSION; }

std::uint32_t loaded_cupti_version() {
  std::uint32_t version = 0;
  const CUptiResult result = cuptiGetVersion(&version);
  if (result != CUPTI_SUCCESS) {
    throw EnvironmentError(fmt::format("libcupti does not tell its version (CUptiResult {})",
                                       static_cast<int>(result)));
  }
  return version;
}

}  // namespace gradwire
