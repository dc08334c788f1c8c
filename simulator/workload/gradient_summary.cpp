#include "simulator/workload/gradient_summary.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "simulator/workload/trace_fitness.hpp"

namespace gradwire {
namespace {

/// PyTorch's element-wise addition, by the functor in the kernel's name (1.8: AddFunctor, 1.13 and
/// later: CUDAFunctor_add; read off the public traces).
bool is_add(std::string_view name) {
  constexpr std::array<std::string_view, 3> kAdds = {"AddFunctor", "Functor_add", "add_kernel"};
  return std::any_of(kAdds.begin(), kAdds.end(), [name](std::string_view add) {
    return name.find(add) != std::string_view::npos;
  });
}

/// A time on a device.
using Instant = std::pair<std::int32_t, Nanoseconds>;

GradientReadySummary summarise_ready(const Trace& trace,
                                     const std::vector<const Gradient*>& gradients) {
  std::map<Instant, std::size_t> ready;  // gradients at each
  for (const Gradient* gradient : gradients) ++ready[{gradient->device, gradient->ready}];
  std::map<Instant, bool> ends;  // of kernels that gradients wait for; true: of an add
  for (const Kernel& kernel : trace.kernels) {
    const Instant end{kernel.device, kernel.end()};
    if (ready.contains(end)) ends[end] = ends[end] || is_add(trace.names[kernel.name]);
  }
  GradientReadySummary summary;
  for (const auto& [instant, count] : ready) {
    const auto end = ends.find(instant);
    if (end == ends.end()) {
      summary.unmatched += count;
    } else if (end->second && count == 1) {
      ++summary.own_add;
    } else {
      summary.earlier += count;
    }
  }
  return summary;
}

using Sum = std::optional<std::int64_t>;

/// Absent where one of the three is, or where it does not fit: sizes in a file may be anything.
Sum add_product(Sum sum, Sum count, Sum size) {
  if (!sum || !count || !size) return std::nullopt;
  std::int64_t product = 0;
  if (__builtin_mul_overflow(*count, *size, &product)) return std::nullopt;
  std::int64_t total = 0;
  if (__builtin_add_overflow(*sum, product, &total)) return std::nullopt;
  return total;
}

}  // namespace

std::optional<ParameterSummary> summarise_gradients(const Trace& trace, std::int32_t index) {
  std::vector<const Gradient*> gradients;
  for (const Gradient& gradient : trace.gradients) {
    if (gradient.iteration == index) gradients.push_back(&gradient);
  }
  if (gradients.empty()) return std::nullopt;
  ParameterSummary summary;
  summary.parameters = gradients.size();
  Sum elements = 0;
  Sum bytes = 0;
  for (const Gradient* gradient : gradients) {
    const std::optional<Elements> count = elements_of(*gradient);
    const std::optional<Bytes> size = element_size(gradient->dtype);
    if (!gradient->parameter.empty()) ++summary.named;
    if (count) ++summary.sized;
    elements = add_product(elements, count ? Sum{count->count()} : Sum{}, 1);
    bytes =
        add_product(bytes, count ? Sum{count->count()} : Sum{}, size ? Sum{size->count()} : Sum{});
  }
  if (elements) summary.elements = Elements{*elements};
  if (bytes) summary.bytes = Bytes{*bytes};
  summary.ready = summarise_ready(trace, gradients);
  return summary;
}

}  // namespace gradwire
