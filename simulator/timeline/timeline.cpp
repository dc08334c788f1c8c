#include "simulator/timeline/timeline.hpp"

namespace gradwire {

std::string_view name_of(Activity activity) {
  switch (activity) {
    case Activity::kCompute:
      return "compute";
    case Activity::kCommunication:
      return "communication";
    case Activity::kEncode:
      return "encode";
    case Activity::kDecode:
      return "decode";
    case Activity::kHost:
      break;
  }
  return "host";
}

}  // namespace gradwire
