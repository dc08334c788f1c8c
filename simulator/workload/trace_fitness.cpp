#include "simulator/workload/trace_fitness.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.hpp"

namespace gradwire {
namespace {

// Far above any model, far below what overflows a byte count.
constexpr std::int64_t kMaxElements = 1'000'000'000'000'000;

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw InputError(fmt::format("{}: {}", name, what));
}

BackwardMark find_backward(const Trace& trace, const std::string& name, std::int32_t index) {
  std::vector<BackwardMark> marks;
  std::copy_if(trace.backwards.begin(), trace.backwards.end(), std::back_inserter(marks),
               [index](const BackwardMark& mark) { return mark.iteration == index; });
  if (marks.empty()) {
    refuse(name,
           fmt::format(
               "iteration {} has no backward pass; a trace of training is accepted, "
               "recorded over loss.backward() with CUDA activity enabled (by gradwire trace: with "
               "--pytorch, or with the program's own marks of the backward pass and "
               "its gradients; import --parameters gives sizes to gradients, and "
               "makes none)",
               index));
  }
  if (marks.size() > 1) {
    refuse(name, fmt::format("iteration {} has {} backward passes (gradient accumulation?); one "
                             "backward pass an iteration is accepted",
                             index, marks.size()));
  }
  return marks.front();
}

void check_devices(const ChosenIteration& chosen, const std::string& name) {
  for (const Gradient* gradient : chosen.gradients) {
    if (gradient->device != chosen.device) {
      refuse(name,
             fmt::format("its gradients lie on devices {} and {} (a model spread over several "
                         "GPUs); one device a process is accepted",
                         chosen.device, gradient->device));
    }
  }
}

void check_sizes(const ChosenIteration& chosen, const std::string& name) {
  const auto without = std::count_if(chosen.gradients.begin(), chosen.gradients.end(),
                                     [](const Gradient* g) { return !elements_of(*g); });
  if (without > 0) {
    refuse(name, fmt::format("{} of {} gradients have no size (recorded without record_shapes?); "
                             "supply the sizes with `import --parameters names-shapes.csv`",
                             without, chosen.gradients.size()));
  }
  std::int64_t total = 0;
  for (const Gradient* gradient : chosen.gradients) {
    const std::int64_t elements = elements_of(*gradient)->count();
    if (elements > kMaxElements || total + elements > kMaxElements) {
      refuse(name, fmt::format("its gradients hold more than {} elements; fewer are accepted",
                               kMaxElements));
    }
    total += elements;
  }
  if (total == 0) {
    refuse(name,
           "its gradients hold 0 elements in total, so there is nothing to send; at least 1 is "
           "accepted");
  }
}

void check_dtypes(const ChosenIteration& chosen, const std::string& name) {
  const auto unknown = std::count_if(chosen.gradients.begin(), chosen.gradients.end(),
                                     [](const Gradient* g) { return !element_size(g->dtype); });
  if (unknown > 0) {
    refuse(name, fmt::format("{} of {} gradients have an unknown element type; supply it as the "
                             "dtype column (float32, float16, bfloat16, ...) of `import "
                             "--parameters names-shapes.csv`",
                             unknown, chosen.gradients.size()));
  }
}

}  // namespace

std::optional<Elements> elements_of(const Gradient& gradient) {
  if (gradient.elements) return gradient.elements;
  if (gradient.shape.empty()) return std::nullopt;
  std::int64_t product = 1;
  for (const std::int64_t extent : gradient.shape) {
    if (__builtin_mul_overflow(product, extent, &product)) return std::nullopt;
  }
  return Elements{product};
}

void refuse_unmodelled_training(const Trace& trace, const std::string& name) {
  if (trace.parallelism.empty()) return;
  std::string found;
  for (const Parallelism& item : trace.parallelism) {
    found += fmt::format("{}{} ({})", found.empty() ? "" : ", ", item.name, item.evidence);
  }
  refuse(name, fmt::format("shows training that is not plain data-parallel DDP: {}; only plain DDP "
                           "is modelled",
                           found));
}

ChosenIteration choose_iteration(const Trace& trace, const std::string& name, std::int32_t index) {
  const auto count = trace.iterations.size();
  if (index < 0 || static_cast<std::size_t>(index) >= count) {
    refuse(name, fmt::format("iteration {} was asked for; 0 to {} are there", index, count - 1));
  }
  ChosenIteration chosen;
  chosen.index = index;
  chosen.backward = find_backward(trace, name, index);
  for (const Gradient& gradient : trace.gradients) {
    if (gradient.iteration == index) chosen.gradients.push_back(&gradient);
  }
  if (chosen.gradients.empty()) {
    refuse(name, fmt::format("iteration {} has a backward pass but no gradients (parameters) were "
                             "found in it; a trace whose gradients the importer finds is accepted",
                             index));
  }
  chosen.device = chosen.gradients.front()->device;
  check_devices(chosen, name);
  check_sizes(chosen, name);
  check_dtypes(chosen, name);
  return chosen;
}

}  // namespace gradwire
