#include "simulator/gloo/gloo_host.hpp"

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>

#include "base/errors.hpp"

namespace gradwire {
namespace {

constexpr std::array<std::pair<std::string_view, double GlooHost::*>, 8> kCosts = {{
    {"make", &GlooHost::make},
    {"copy_in", &GlooHost::copy_in},
    {"copy_out", &GlooHost::copy_out},
    {"cast_in", &GlooHost::cast_in},
    {"cast_out", &GlooHost::cast_out},
    {"wire", &GlooHost::wire},
    {"reduce", &GlooHost::reduce},
    {"reduce_float16", &GlooHost::reduce_float16},
}};

}  // namespace

double& GlooHost::cost_named(std::string_view name) {
  std::string accepted;
  for (const auto& [known, cost] : kCosts) {
    if (known == name) return this->*cost;
    accepted += fmt::format("{}{}", accepted.empty() ? "" : ", ", known);
  }
  throw InputError(fmt::format("\"{}\" found; accepted: {}", name, accepted));
}

}  // namespace gradwire
