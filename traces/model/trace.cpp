#include "traces/model/trace.hpp"

namespace gradwire {

std::string_view name_of(KernelCategory category) {
  switch (category) {
    case KernelCategory::kCompute:
      return "compute";
    case KernelCategory::kCommunication:
      return "communication";
    case KernelCategory::kMemcpy:
      return "memcpy";
    case KernelCategory::kMemset:
      break;
  }
  return "memset";
}

}  // namespace gradwire
