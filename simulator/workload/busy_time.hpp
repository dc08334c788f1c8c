#pragma once

#include <cstdint>
#include <vector>

#include "base/units.hpp"
#include "traces/model/trace.hpp"

namespace gradwire {

/// When a device works: the union of kernel intervals over all its streams.
class BusyTime {
 public:
  struct Stretch {
    Nanoseconds start{0};
    Nanoseconds end{0};

    bool operator==(const Stretch&) const = default;
  };

  /// The union of `stretches`, which may overlap and come in any order.
  explicit BusyTime(std::vector<Stretch> stretches);

  Nanoseconds total() const;

  /// Busy time before `time`: where `time` lands when all gaps are taken out.
  Nanoseconds before(Nanoseconds time) const;

  /// Disjoint, not touching, in order.
  const std::vector<Stretch>& stretches() const { return stretches_; }

 private:
  std::vector<Stretch> stretches_;
  std::vector<Nanoseconds> busy_before_;  ///< busy time before the start of each stretch
};

/// Busy time of one backward pass: its kernels on `device`, as far as they lie inside `mark`.
BusyTime find_backward_busy_time(const Trace& trace, const BackwardMark& mark, std::int32_t device);

/// The same of several backward passes, of different iterations, in one walk over the kernels.
std::vector<BusyTime> find_backward_busy_times(const Trace& trace,
                                               const std::vector<BackwardMark>& marks,
                                               std::int32_t device);

}  // namespace gradwire
