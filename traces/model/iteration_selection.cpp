#include "traces/model/iteration_selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/errors.hpp"

namespace gradwire {
namespace {

/// What stays of one trace, and where it goes.
class Selection {
 public:
  Selection(Trace trace, std::int32_t first, std::int32_t last)
      : trace_(std::move(trace)), first_(first), last_(last) {}

  Trace make() {
    keep_kernels();
    keep_communications();
    keep_of_iteration(trace_.gradients);
    keep_of_iteration(trace_.backwards);
    trace_.iterations = {trace_.iterations.begin() + first_, trace_.iterations.begin() + last_ + 1};
    for (IterationMark& mark : trace_.iterations) mark.representative = false;
    keep_used_names();
    set_zero();
    return std::move(trace_);
  }

 private:
  bool keeps(std::int32_t iteration) const { return iteration >= first_ && iteration <= last_; }

  template <class Record>
  void keep_of_iteration(std::vector<Record>& records) const {
    std::erase_if(records, [&](const Record& record) { return !keeps(record.iteration); });
    for (Record& record : records) record.iteration -= first_;
  }

  void keep_kernels() {
    new_index_.resize(trace_.kernels.size());
    std::vector<Kernel> kept;
    for (std::size_t i = 0; i < trace_.kernels.size(); ++i) {
      Kernel& kernel = trace_.kernels[i];
      if (!kernel.iteration || !keeps(*kernel.iteration)) continue;
      *kernel.iteration -= first_;
      new_index_[i] = kept.size();
      kept.push_back(kernel);
    }
    trace_.kernels = std::move(kept);
  }

  void keep_communications() {
    std::erase_if(trace_.communications, [&](const Communication& item) {
      return !item.iteration || !keeps(*item.iteration);
    });
    for (Communication& item : trace_.communications) {
      *item.iteration -= first_;
      if (item.kernel) item.kernel = new_index_[*item.kernel];
    }
  }

  void keep_used_names() {
    std::vector<std::optional<std::uint32_t>> new_name(trace_.names.size());
    std::vector<std::string> kept;
    for (Kernel& kernel : trace_.kernels) {
      std::optional<std::uint32_t>& name = new_name[kernel.name];
      if (!name) {
        name = static_cast<std::uint32_t>(kept.size());
        kept.push_back(std::move(trace_.names[kernel.name]));
      }
      kernel.name = *name;
    }
    trace_.names = std::move(kept);
  }

  template <class Mark>
  static void move_to_zero(std::vector<Mark>& marks, Nanoseconds zero) {
    for (Mark& mark : marks) {
      mark.start -= zero;
      mark.end -= zero;
    }
  }

  void set_zero() {
    Nanoseconds zero = trace_.iterations.front().start;
    for (const Kernel& kernel : trace_.kernels) {
      zero = std::min({zero, kernel.start, kernel.launch ? kernel.launch->start : kernel.start});
    }
    for (Kernel& kernel : trace_.kernels) {
      kernel.start -= zero;
      if (kernel.launch) kernel.launch->start -= zero;
    }
    for (Gradient& gradient : trace_.gradients) gradient.ready -= zero;
    move_to_zero(trace_.iterations, zero);
    move_to_zero(trace_.backwards, zero);
    if (trace_.base_time.count() != 0) trace_.base_time += zero;
  }

  Trace trace_;
  std::int32_t first_;
  std::int32_t last_;
  std::vector<std::optional<std::uint64_t>> new_index_;  ///< of each kernel; absent: it is gone
};

}  // namespace

Trace keep_iterations(Trace trace, std::int32_t first, std::int32_t last) {
  const auto count = static_cast<std::int32_t>(trace.iterations.size());
  if (first < 0 || last < first || last >= count) {
    throw InputError(
        fmt::format("iterations {} to {} of a trace of {} were asked for", first, last, count));
  }
  return Selection(std::move(trace), first, last).make();
}

}  // namespace gradwire
