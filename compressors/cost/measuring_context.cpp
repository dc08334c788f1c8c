#include "compressors/cost/measuring_context.hpp"

namespace gradwire {

const char* name_of(DeviceKind kind) { return kind == DeviceKind::kCpu ? "CPU" : "GPU"; }

}  // namespace gradwire
