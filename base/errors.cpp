#include "base/errors.hpp"

#include <fmt/format.h>

namespace gradwire {

void fail_check(const char* file, int line, const char* condition, const std::string& message) {
  throw BugError(fmt::format("{}:{}: {} does not hold: {}", file, line, condition, message));
}

}  // namespace gradwire
