#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "traces/importers/profile/records.hpp"

namespace gradwire {

/// Answers which host span holds an instant on a thread.
class SpanIndex {
 public:
  void add(const HostSpan& span, std::int32_t id) {
    threads_[span.thread].push_back({span.start, span.end, id});
  }

  /// To be called between the last `add` and the first `find`.
  void sort() {
    for (auto& [thread, entries] : threads_) {
      std::stable_sort(entries.begin(), entries.end(),
                       [](const Entry& a, const Entry& b) { return a.start < b.start; });
      Nanoseconds reach{0};
      for (Entry& entry : entries) {
        reach = std::max(reach, entry.end);
        entry.reach = reach;
      }
    }
  }

  /// Id of the span on `thread` that holds `instant` (both ends included), the one that starts last
  /// if several do; -1 when none does.
  std::int32_t find(const ThreadKey& thread, Nanoseconds instant) const {
    const auto found = threads_.find(thread);
    if (found == threads_.end()) return -1;
    const std::vector<Entry>& entries = found->second;
    auto after =
        std::upper_bound(entries.begin(), entries.end(), instant,
                         [](Nanoseconds value, const Entry& entry) { return value < entry.start; });
    while (after != entries.begin()) {
      --after;
      if (after->reach < instant) return -1;
      if (after->end >= instant) return after->id;
    }
    return -1;
  }

  /// Id of the first span on the same thread that lies inside `outer`; -1 when there is none.
  std::int32_t find_inside(const HostSpan& outer) const {
    const auto found = threads_.find(outer.thread);
    if (found == threads_.end()) return -1;
    const std::vector<Entry>& entries = found->second;
    const auto first =
        std::lower_bound(entries.begin(), entries.end(), outer.start,
                         [](const Entry& entry, Nanoseconds value) { return entry.start < value; });
    return first != entries.end() && first->end <= outer.end ? first->id : -1;
  }

 private:
  struct Entry {
    Nanoseconds start{0};
    Nanoseconds end{0};
    std::int32_t id = 0;
    Nanoseconds reach{0};  ///< the latest end of this and all earlier entries
  };

  std::map<ThreadKey, std::vector<Entry>> threads_;
};

}  // namespace gradwire
