#include "traces/model/trace_checks.hpp"

#include <fmt/format.h>

namespace gradwire {
namespace {

class Defects {
 public:
  explicit Defects(const Trace& trace) : trace_(trace) {}

  void check_kernels() {
    Nanoseconds previous = Nanoseconds::min();
    for (std::size_t i = 0; i < trace_.kernels.size(); ++i) {
      const Kernel& kernel = trace_.kernels[i];
      if (kernel.duration.count() < 0) {
        add("kernel {} has the duration {} ns; 0 or more is accepted", i, kernel.duration.count());
      }
      if (kernel.name >= trace_.names.size()) {
        add("kernel {} has the name index {} of {} names", i, kernel.name, trace_.names.size());
      }
      if (kernel.start < previous) add("kernel {} starts before the one in front of it", i);
      if (kernel.launch && kernel.launch->duration.count() < 0) {
        add("kernel {} has a launch of {} ns", i, kernel.launch->duration.count());
      }
      if (kernel.iteration) check_iteration("kernel", i, *kernel.iteration);
      previous = kernel.start;
    }
  }

  void check_communications() {
    for (std::size_t i = 0; i < trace_.communications.size(); ++i) {
      const Communication& item = trace_.communications[i];
      if (item.kernel && *item.kernel >= trace_.kernels.size()) {
        add("communication {} names kernel {} of {}", i, *item.kernel, trace_.kernels.size());
      }
      if (item.group_size && *item.group_size < 1) {
        add("communication {} has a group of {} ranks", i, *item.group_size);
      }
      if ((item.in_elements && item.in_elements->count() < 0) ||
          (item.out_elements && item.out_elements->count() < 0)) {
        add("communication {} has a negative element count", i);
      }
      if (item.iteration) check_iteration("communication", i, *item.iteration);
    }
  }

  void check_gradients() {
    for (std::size_t i = 0; i < trace_.gradients.size(); ++i) {
      const Gradient& gradient = trace_.gradients[i];
      check_iteration("gradient", i, gradient.iteration);
      if (gradient.elements && gradient.elements->count() < 0) {
        add("gradient {} has {} elements", i, gradient.elements->count());
      }
      check_shape(i, gradient);
    }
  }

  void check_marks() {
    for (std::size_t i = 0; i < trace_.iterations.size(); ++i) {
      if (trace_.iterations[i].end < trace_.iterations[i].start) {
        add("iteration {} ends before it starts", i);
      }
    }
    for (std::size_t i = 0; i < trace_.backwards.size(); ++i) {
      check_iteration("backward mark", i, trace_.backwards[i].iteration);
      if (trace_.backwards[i].end < trace_.backwards[i].start) {
        add("backward mark {} ends before it starts", i);
      }
    }
  }

  std::vector<std::string> take() { return std::move(found_); }

 private:
  template <class... Args>
  void add(fmt::format_string<Args...> text, Args&&... args) {
    found_.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  void check_shape(std::size_t index, const Gradient& gradient) {
    if (gradient.shape.empty()) return;
    std::int64_t product = 1;
    for (const std::int64_t extent : gradient.shape) {
      if (extent < 0 || __builtin_mul_overflow(product, extent, &product)) {
        add("gradient {} has an impossible shape", index);
        return;
      }
    }
    if (gradient.elements && gradient.elements->count() != product) {
      add("gradient {} has {} elements but its shape holds {}", index, gradient.elements->count(),
          product);
    }
  }

  void check_iteration(const char* what, std::size_t index, std::int32_t iteration) {
    if (iteration < 0 || static_cast<std::size_t>(iteration) >= trace_.iterations.size()) {
      add("{} {} names iteration {} of {}", what, index, iteration, trace_.iterations.size());
    }
  }

  const Trace& trace_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> find_trace_defects(const Trace& trace) {
  Defects defects(trace);
  defects.check_kernels();
  defects.check_communications();
  defects.check_gradients();
  defects.check_marks();
  return defects.take();
}

}  // namespace gradwire
