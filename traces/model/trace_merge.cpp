#include "traces/model/trace_merge.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/errors.hpp"

namespace gradwire {
namespace {

std::string fact_of(const Trace& trace, std::string_view name) {
  for (const Fact& fact : trace.software) {
    if (fact.name == name) return fact.value;
  }
  return {};
}

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw InputError(fmt::format("{}: {}", name, what));
}

/// From the first kernel's start to the last one's end, from the epoch.
struct Extent {
  Nanoseconds start{0};
  Nanoseconds end{0};
};

void check_ranks(const std::vector<RankTrace>& ranks) {
  if (ranks.size() < 2) {
    throw InputError(fmt::format(
        "{} trace found; two or more, of the ranks of one job, are accepted", ranks.size()));
  }
  std::map<std::int32_t, const RankTrace*> seen;
  for (const RankTrace& rank : ranks) {
    const Trace& trace = rank.trace;
    if (!trace.rank) {
      refuse(rank.name,
             "does not tell its rank; traces of processes that were started with RANK "
             "and WORLD_SIZE are accepted");
    }
    if (trace.kernels.empty()) refuse(rank.name, "holds no kernels; a recorded trace is accepted");
    if (const auto [found, first] = seen.try_emplace(*trace.rank, &rank); !first) {
      refuse(rank.name, fmt::format("is of rank {}, as {} is; each rank once is accepted",
                                    *trace.rank, found->second->name));
    }
    const auto size_text = [](const Trace& of) {
      return of.world_size ? std::to_string(*of.world_size) : std::string("unknown");
    };
    if (!trace.world_size || trace.world_size != ranks.front().trace.world_size) {
      refuse(rank.name,
             fmt::format("is of a job of {} ranks, and {} of one of {}; traces of one "
                         "job are accepted",
                         size_text(trace), ranks.front().name, size_text(ranks.front().trace)));
    }
    if (*trace.rank < 0 || *trace.rank >= *trace.world_size) {
      refuse(rank.name, fmt::format("is of rank {} of a job of {}; 0 to {} are accepted",
                                    *trace.rank, *trace.world_size, *trace.world_size - 1));
    }
  }
}

/// Iteration numbers that every trace holds.
std::set<std::int64_t> common_numbers(const std::vector<RankTrace>& ranks) {
  std::map<std::int64_t, std::size_t> times;
  for (const RankTrace& rank : ranks) {
    std::set<std::int64_t> own;
    for (const IterationMark& mark : rank.trace.iterations) own.insert(mark.number);
    for (const std::int64_t number : own) ++times[number];
  }
  std::set<std::int64_t> common;
  for (const auto& [number, count] : times) {
    if (count == ranks.size()) common.insert(number);
  }
  return common;
}

class Merger {
 public:
  explicit Merger(std::vector<RankTrace> ranks) : ranks_(std::move(ranks)) {
    std::sort(ranks_.begin(), ranks_.end(),
              [](const RankTrace& a, const RankTrace& b) { return *a.trace.rank < *b.trace.rank; });
  }

  MergedTrace merge() {
    match_clocks();
    match_iterations();
    take_facts();
    for (RankTrace& rank : ranks_) take_rank(rank.trace);
    sort_kernels();
    const Trace& lowest = ranks_.front().trace;
    note(
        "gradients, backward passes and the times of iterations are those of rank {}, which "
        "simulate replays",
        *lowest.rank);
    return std::move(merged_);
  }

 private:
  template <class... Args>
  void note(fmt::format_string<Args...> text, Args&&... args) {
    merged_.notes.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  /// Decides whether times compare, and where the zero of all is.
  void match_clocks() {
    const bool known = std::all_of(ranks_.begin(), ranks_.end(), [](const RankTrace& rank) {
      return rank.trace.base_time != Nanoseconds{0};
    });
    std::set<std::string> hosts;
    for (const RankTrace& rank : ranks_) hosts.insert(fact_of(rank.trace, "host"));
    const bool told = hosts.count("") == 0;
    merged_.one_clock = known && told && hosts.size() == 1;
    if (!known) {
      note(
          "not every trace tells when it was recorded: all begin at 0, and times of different "
          "ranks do not compare");
    } else if (merged_.one_clock) {
      refuse_strangers();
      note("all ranks ran on one host: their times are kept as its clock told them");
    } else if (told) {
      note(
          "the ranks ran on {} hosts, whose clocks were not aligned: times of different hosts do "
          "not compare",
          hosts.size());
    } else {
      note(
          "not every trace tells its host: the clocks are taken as they are, and times of "
          "different ranks may not compare");
    }
    if (!known) return;
    zero_ = ranks_.front().trace.base_time;
    for (const RankTrace& rank : ranks_) zero_ = std::min(zero_, rank.trace.base_time);
    merged_.trace.base_time = zero_;
  }

  /// Processes of one job run at the same time.
  void refuse_strangers() const {
    const auto extent = [](const Trace& trace) {
      Extent whole{trace.base_time + trace.kernels.front().start, trace.base_time};
      for (const Kernel& kernel : trace.kernels)
        whole.end = std::max(whole.end, trace.base_time + kernel.end());
      return whole;
    };
    const Extent first = extent(ranks_.front().trace);
    for (const RankTrace& rank : ranks_) {
      const Extent own = extent(rank.trace);
      if (own.start <= first.end && first.start <= own.end) continue;
      refuse(rank.name, fmt::format("ran at another time than {}; traces of one job are accepted",
                                    ranks_.front().name));
    }
  }

  void match_iterations() {
    const std::set<std::int64_t> common = common_numbers(ranks_);
    if (common.empty()) {
      refuse(ranks_.back().name, fmt::format("has no iteration number in common with {}; traces of "
                                             "one job are accepted",
                                             ranks_.front().name));
    }
    for (const RankTrace& rank : ranks_) {
      for (const IterationMark& mark : rank.trace.iterations) {
        const auto [found, first] =
            index_of_.try_emplace(mark.number, static_cast<std::int32_t>(index_of_.size()));
        if (first) {
          merged_.trace.iterations.push_back(mark);
          IterationMark& to = merged_.trace.iterations.back();
          to.start += shift_of(rank.trace);
          to.end += shift_of(rank.trace);
          to.representative = mark.representative && &rank == &ranks_.front();
        }
        IterationMark& to = merged_.trace.iterations[static_cast<std::size_t>(found->second)];
        to.complete = to.complete && mark.complete && common.count(mark.number) > 0;
        to.inferred = to.inferred || mark.inferred;
      }
    }
    const bool inferred =
        std::any_of(merged_.trace.iterations.begin(), merged_.trace.iterations.end(),
                    [](const IterationMark& mark) { return mark.inferred; });
    note("{} iterations are in every trace, {} are not", common.size(),
         index_of_.size() - common.size());
    if (inferred) {
      note(
          "iterations of a trace were inferred and are counted from its own beginning: the same "
          "number need not be the same iteration");
    }
  }

  void take_facts() {
    const Trace& lowest = ranks_.front().trace;
    Trace& trace = merged_.trace;
    trace.rank = lowest.rank;
    trace.world_size = lowest.world_size;
    trace.batch_size = lowest.batch_size;
    std::vector<std::int32_t> numbers;
    std::vector<std::string> sources;
    for (const RankTrace& rank : ranks_) {
      numbers.push_back(*rank.trace.rank);
      sources.push_back(rank.trace.provenance.source);
      for (const Parallelism& way : rank.trace.parallelism) {
        const bool known =
            std::any_of(trace.parallelism.begin(), trace.parallelism.end(),
                        [&](const Parallelism& item) { return item.name == way.name; });
        if (!known) trace.parallelism.push_back(way);
      }
    }
    for (const Fact& fact : lowest.software) {
      const bool shared = std::all_of(ranks_.begin(), ranks_.end(), [&](const RankTrace& rank) {
        return fact_of(rank.trace, fact.name) == fact.value;
      });
      if (shared) trace.software.push_back(fact);
    }
    trace.software.push_back(
        {std::string(kMergedRanksFact), fmt::format("{}", fmt::join(numbers, ", "))});
    trace.provenance = lowest.provenance;
    trace.provenance.source = fmt::format("{}", fmt::join(sources, ", "));
    trace.provenance.made_by = "gradwire trace-merge";
    const auto count = static_cast<std::size_t>(*lowest.world_size);
    if (ranks_.size() < count) note("{} of the job's {} ranks are there", ranks_.size(), count);
  }

  Nanoseconds shift_of(const Trace& trace) const {
    return zero_ == Nanoseconds{0} ? Nanoseconds{0} : trace.base_time - zero_;
  }

  std::int32_t iteration_of(const Trace& from, std::int32_t index) const {
    return index_of_.at(from.iterations[static_cast<std::size_t>(index)].number);
  }

  void take_rank(const Trace& from) {
    Trace& to = merged_.trace;
    const bool lowest = &from == &ranks_.front().trace;
    const std::map<std::int32_t, std::int32_t> devices = take_devices(from);
    const Nanoseconds shift = shift_of(from);
    const std::size_t first_kernel = to.kernels.size();
    const std::vector<std::uint32_t> names = take_names(from);
    for (Kernel kernel : from.kernels) {
      kernel.name = names[kernel.name];
      kernel.device = devices.at(kernel.device);
      kernel.start += shift;
      if (kernel.launch) kernel.launch->start += shift;
      if (kernel.iteration) kernel.iteration = iteration_of(from, *kernel.iteration);
      to.kernels.push_back(kernel);
    }
    for (Communication communication : from.communications) {
      if (communication.kernel) *communication.kernel += first_kernel;
      if (communication.iteration)
        communication.iteration = iteration_of(from, *communication.iteration);
      to.communications.push_back(communication);
    }
    if (!lowest) return;
    for (Gradient gradient : from.gradients) {
      gradient.iteration = iteration_of(from, gradient.iteration);
      gradient.ready += shift;
      gradient.device = devices.at(gradient.device);
      to.gradients.push_back(std::move(gradient));
    }
    for (BackwardMark mark : from.backwards) {
      to.backwards.push_back(
          {iteration_of(from, mark.iteration), mark.start + shift, mark.end + shift});
    }
  }

  /// New numbers for the devices that the rank ran something on.
  std::map<std::int32_t, std::int32_t> take_devices(const Trace& from) {
    std::set<std::int32_t> used;
    for (const Kernel& kernel : from.kernels) used.insert(kernel.device);
    for (const Gradient& gradient : from.gradients) used.insert(gradient.device);
    std::map<std::int32_t, std::int32_t> numbers;
    for (const std::int32_t device : used) {
      numbers[device] = next_device_++;
      note("device {} of rank {} is device {}", device, *from.rank, numbers[device]);
    }
    for (DeviceFacts facts : from.devices) {
      const auto found = numbers.find(facts.index);
      if (found == numbers.end()) continue;
      facts.index = found->second;
      merged_.trace.devices.push_back(std::move(facts));
    }
    return numbers;
  }

  std::vector<std::uint32_t> take_names(const Trace& from) {
    std::vector<std::uint32_t> indices;
    for (const std::string& name : from.names) {
      const auto [found, first] =
          names_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
      if (first) merged_.trace.names.push_back(name);
      indices.push_back(found->second);
    }
    return indices;
  }

  /// By start; of equal starts the lower rank's first.
  void sort_kernels() {
    std::vector<Kernel>& kernels = merged_.trace.kernels;
    std::vector<std::size_t> order(kernels.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return kernels[a].start < kernels[b].start;
    });
    std::vector<std::uint64_t> place(order.size());
    std::vector<Kernel> sorted;
    sorted.reserve(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      place[order[i]] = i;
      sorted.push_back(kernels[order[i]]);
    }
    kernels = std::move(sorted);
    for (Communication& communication : merged_.trace.communications) {
      if (communication.kernel) communication.kernel = place[*communication.kernel];
    }
  }

  std::vector<RankTrace> ranks_;
  MergedTrace merged_;
  Nanoseconds zero_{0};
  std::map<std::int64_t, std::int32_t> index_of_;
  std::map<std::string, std::uint32_t> names_;
  std::int32_t next_device_ = 0;
};

}  // namespace

MergedTrace merge_traces(std::vector<RankTrace> ranks) {
  check_ranks(ranks);
  return Merger(std::move(ranks)).merge();
}

}  // namespace gradwire
