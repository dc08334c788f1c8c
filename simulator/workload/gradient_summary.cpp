#include "simulator/workload/gradient_summary.hpp"

#include <cstddef>
#include <vector>

#include "simulator/workload/trace_fitness.hpp"

namespace gradwire {
namespace {

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
    if (gradient->own_kernel) ++summary.with_own_kernel;
    elements = add_product(elements, count ? Sum{count->count()} : Sum{}, 1);
    bytes =
        add_product(bytes, count ? Sum{count->count()} : Sum{}, size ? Sum{size->count()} : Sum{});
  }
  if (elements) summary.elements = Elements{*elements};
  if (bytes) summary.bytes = Bytes{*bytes};
  return summary;
}

}  // namespace gradwire
