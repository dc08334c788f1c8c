#include "traces/importers/iteration_inference.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace gradwire {
namespace {

// A whole period with forward and backward kernels that occurs twice in a row is strong evidence
// by itself; of three iterations with an odd first one (autotuning) 0.4 still repeats.
constexpr double kGoodMatch = 0.4;
// Multiples of the period match as well as the period, up to what single odd kernels cost.
constexpr double kMatchTolerance = 0.005;
constexpr std::size_t kSamples = 4096;

/// The compute kernels in launch order, and what is compared of them.
struct KernelSequence {
  std::vector<const Kernel*> kernels;
  std::vector<std::uint64_t> symbols;
  bool backward = false;  ///< some are of the backward pass
};

Nanoseconds time_of(const Kernel& kernel) {
  return kernel.launch ? kernel.launch->start : kernel.start;
}

KernelSequence sequence_of(const Trace& trace) {
  KernelSequence sequence;
  const bool launches = std::any_of(trace.kernels.begin(), trace.kernels.end(),
                                    [](const Kernel& kernel) { return kernel.launch.has_value(); });
  for (const Kernel& kernel : trace.kernels) {
    if (kernel.category != KernelCategory::kCompute || (launches && !kernel.launch)) continue;
    sequence.kernels.push_back(&kernel);
  }
  std::stable_sort(sequence.kernels.begin(), sequence.kernels.end(),
                   [](const Kernel* a, const Kernel* b) { return time_of(*a) < time_of(*b); });
  for (const Kernel* kernel : sequence.kernels) {
    sequence.symbols.push_back(std::uint64_t{kernel->name} * 2 + (kernel->in_backward ? 1 : 0));
    sequence.backward = sequence.backward || kernel->in_backward;
  }
  return sequence;
}

/// How far the sequence from `start + shift` on repeats the one from `start` on, for every shift (Z
/// algorithm).
std::vector<std::size_t> repeat_lengths(const std::vector<std::uint64_t>& symbols,
                                        std::size_t start) {
  const std::size_t size = symbols.size() - start;
  std::vector<std::size_t> lengths(size, 0);
  std::size_t left = 0;
  std::size_t right = 0;
  for (std::size_t i = 1; i < size; ++i) {
    std::size_t length = i < right ? std::min(right - i, lengths[i - left]) : 0;
    while (i + length < size && symbols[start + length] == symbols[start + i + length]) ++length;
    lengths[i] = length;
    if (i + length > right) {
      left = i;
      right = i + length;
    }
  }
  return lengths;
}

/// Share of the sequence that repeats after `period`; by samples when the sequence is long.
double match_share(const std::vector<std::uint64_t>& symbols, std::size_t period) {
  const std::size_t compared = symbols.size() - period;
  const std::size_t stride = std::max<std::size_t>(1, compared / kSamples);
  std::size_t equal = 0;
  std::size_t seen = 0;
  for (std::size_t i = 0; i < compared; i += stride, ++seen) {
    if (symbols[i] == symbols[i + period]) ++equal;
  }
  return static_cast<double>(equal) / static_cast<double>(seen);
}

/// Shifts after which the sequence repeats itself for a whole period somewhere.
std::vector<std::size_t> candidate_periods(const std::vector<std::uint64_t>& symbols) {
  std::vector<std::size_t> candidates;
  for (const std::size_t start : {std::size_t{0}, symbols.size() / 4, symbols.size() / 2}) {
    const std::vector<std::size_t> lengths = repeat_lengths(symbols, start);
    for (std::size_t period = 1; period * 2 <= lengths.size(); ++period) {
      if (lengths[period] >= period) candidates.push_back(period);
    }
  }
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  return candidates;
}

/// First index of the longest stretch in which the sequence repeats after `period`.
std::size_t find_steady_run(const std::vector<std::uint64_t>& symbols, std::size_t period) {
  std::size_t best = 0;
  std::size_t best_length = 0;
  std::size_t run = 0;
  for (std::size_t i = 0; i + period <= symbols.size(); ++i) {
    const bool equal = i + period < symbols.size() && symbols[i] == symbols[i + period];
    if (equal) continue;
    if (i - run > best_length) {
      best = run;
      best_length = i - run;
    }
    run = i + 1;
  }
  return best;
}

/// The symbols that occur in the first, the middle and the last third of the sequence: with three
/// iterations or more, those of every iteration (and none of a warm-up's own).
std::set<std::uint64_t> recurring_symbols(const std::vector<std::uint64_t>& symbols) {
  std::map<std::uint64_t, unsigned> thirds;
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    thirds[symbols[i]] |= 1U << (i * 3 / symbols.size());
  }
  std::set<std::uint64_t> recurring;
  for (const auto& [symbol, seen] : thirds) {
    if (seen == 7U) recurring.insert(symbol);
  }
  return recurring;
}

/// Where no backward pass vouches for a period it has to be there two and a half times: three
/// iterations, a cut one among them.
bool occurs_often(std::size_t size, std::size_t period) { return period * 5 <= size * 2; }

/// Layers repeat too, but not so: a whole iteration holds kernels of the backward pass and others
/// or, where no backward pass is known, all of `recurring`.
bool is_whole_iteration(const KernelSequence& sequence, const std::set<std::uint64_t>& recurring,
                        std::size_t period) {
  const std::size_t first = find_steady_run(sequence.symbols, period);
  if (!sequence.backward) {
    // One kernel again and again is no training.
    if (recurring.size() < 2 || !occurs_often(sequence.symbols.size(), period)) return false;
    const auto begin = sequence.symbols.begin() + static_cast<std::ptrdiff_t>(first);
    const std::set<std::uint64_t> inside(begin, begin + static_cast<std::ptrdiff_t>(period));
    return std::includes(inside.begin(), inside.end(), recurring.begin(), recurring.end());
  }
  const auto run = sequence.kernels.begin() + static_cast<std::ptrdiff_t>(first);
  const auto backward = std::count_if(run, run + static_cast<std::ptrdiff_t>(period),
                                      [](const Kernel* kernel) { return kernel->in_backward; });
  return backward > 0 && static_cast<std::size_t>(backward) < period;
}

/// The smallest period among those that match best; 0 when none matches well.
std::size_t find_period(const KernelSequence& sequence) {
  const std::set<std::uint64_t> recurring = recurring_symbols(sequence.symbols);
  std::map<std::size_t, double> shares;
  double best = kGoodMatch;
  for (const std::size_t period : candidate_periods(sequence.symbols)) {
    const double share = match_share(sequence.symbols, period);
    if (share < best - kMatchTolerance || !is_whole_iteration(sequence, recurring, period))
      continue;
    shares[period] = share;
    best = std::max(best, share);
  }
  for (const auto& [period, share] : shares) {
    if (share >= kGoodMatch && share >= best - kMatchTolerance) return period;
  }
  return 0;
}

/// Idle time of the device right before each kernel of the sequence.
std::vector<Nanoseconds> idle_before(const KernelSequence& sequence) {
  std::vector<Nanoseconds> idle;
  Nanoseconds busy_until = sequence.kernels.front()->start;
  for (const Kernel* kernel : sequence.kernels) {
    idle.push_back(std::max(Nanoseconds{0}, kernel->start - busy_until));
    busy_until = std::max(busy_until, kernel->end());
  }
  return idle;
}

/// Where in a steady period the iteration begins: before the largest idle gap (median over the
/// periods of the run) that is not inside the backward pass.
std::size_t find_phase(const KernelSequence& sequence, std::size_t run, std::size_t period) {
  const std::vector<Nanoseconds> idle = idle_before(sequence);
  const auto& symbols = sequence.symbols;
  std::size_t best = run;
  Nanoseconds largest{-1};
  for (std::size_t phase = run; phase < run + period; ++phase) {
    const std::size_t before = phase == run ? run + period - 1 : phase - 1;
    if (sequence.kernels[phase]->in_backward && sequence.kernels[before]->in_backward) continue;
    std::vector<Nanoseconds> gaps;
    for (std::size_t i = phase; i < symbols.size() && symbols[i] == symbols[phase]; i += period) {
      if (i > 0) gaps.push_back(idle[i]);
    }
    if (gaps.empty()) continue;
    const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>((gaps.size() - 1) / 2);
    std::nth_element(gaps.begin(), middle, gaps.end());
    if (*middle > largest) {
      largest = *middle;
      best = phase;
    }
  }
  return best;
}

/// Shortest run of symbols from `phase` on that occurs once in the period that begins there.
std::size_t anchor_length(const std::vector<std::uint64_t>& symbols, std::size_t phase,
                          std::size_t period) {
  std::size_t length = 1;
  for (std::size_t other = 1; other < period; ++other) {
    std::size_t equal = 0;
    while (equal < period && phase + other + equal < symbols.size() &&
           symbols[phase + equal] == symbols[phase + other + equal]) {
      ++equal;
    }
    length = std::max(length, std::min(equal + 1, period));
  }
  return length;
}

std::vector<std::size_t> find_anchors(const std::vector<std::uint64_t>& symbols, std::size_t phase,
                                      std::size_t length) {
  std::vector<std::size_t> anchors;
  const auto anchor = symbols.begin() + static_cast<std::ptrdiff_t>(phase);
  for (std::size_t i = 0; i + length <= symbols.size();) {
    if (std::equal(anchor, anchor + static_cast<std::ptrdiff_t>(length),
                   symbols.begin() + static_cast<std::ptrdiff_t>(i))) {
      anchors.push_back(i);
      i += length;
    } else {
      ++i;
    }
  }
  return anchors;
}

/// The beginnings of iterations: the start of the sequence, and each anchor that has backward
/// kernels between the beginning before it and itself (warm-up repeats pieces of the forward pass)
/// or, where no backward pass is known, most of a period. Of a cut first iteration less is there.
std::vector<std::size_t> choose_begins(const KernelSequence& sequence,
                                       const std::vector<std::size_t>& anchors,
                                       std::size_t period) {
  std::vector<std::size_t> begins = {0};
  for (const std::size_t anchor : anchors) {
    if (!sequence.backward) {
      const bool first = anchor > 0 && begins.size() == 1;
      if (first || (anchor - begins.back()) * 2 > period) begins.push_back(anchor);
      continue;
    }
    const bool passed =
        std::any_of(sequence.kernels.begin() + static_cast<std::ptrdiff_t>(begins.back()),
                    sequence.kernels.begin() + static_cast<std::ptrdiff_t>(anchor),
                    [](const Kernel* kernel) { return kernel->in_backward; });
    if (passed) begins.push_back(anchor);
  }
  return begins;
}

InferredIterations make_iterations(const KernelSequence& sequence,
                                   const std::vector<std::size_t>& anchors, std::size_t period) {
  const std::size_t size = sequence.kernels.size();
  const std::vector<std::size_t> begins = choose_begins(sequence, anchors, period);
  const bool whole_head = !anchors.empty() && anchors.front() == 0;
  InferredIterations found;
  found.kernels_per_iteration = static_cast<std::int64_t>(period);
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const bool first = i == 0;
    const bool last = i + 1 == begins.size();
    const std::size_t next = last ? size : begins[i + 1];
    IterationMark mark;
    mark.number = static_cast<std::int64_t>(i);
    mark.inferred = true;
    mark.start = time_of(*sequence.kernels[begins[i]]);
    // One nanosecond short of the next: both ends of a mark belong to it.
    mark.end = last ? Nanoseconds{0} : time_of(*sequence.kernels[next]) - Nanoseconds{1};
    const bool cut = (first && !whole_head) || last;
    mark.complete = !cut || next - begins[i] >= period;
    found.marks.push_back(mark);
  }
  for (const Kernel* kernel : sequence.kernels) {
    found.marks.back().end = std::max({found.marks.back().end, time_of(*kernel), kernel->end()});
  }
  return found;
}

}  // namespace

std::int64_t count_backward_runs(const Trace& trace) {
  const KernelSequence sequence = sequence_of(trace);
  std::int64_t runs = 0;
  bool inside = false;
  for (const Kernel* kernel : sequence.kernels) {
    if (kernel->in_backward && !inside) ++runs;
    inside = kernel->in_backward;
  }
  return runs;
}

std::optional<InferredIterations> infer_iterations(const Trace& trace) {
  const KernelSequence sequence = sequence_of(trace);
  if (sequence.kernels.empty()) return std::nullopt;
  const std::size_t period = find_period(sequence);
  if (period == 0) {
    if (count_backward_runs(trace) != 1) return std::nullopt;
    InferredIterations found = make_iterations(sequence, {0}, sequence.kernels.size());
    found.single = true;
    return found;
  }
  const std::size_t run = find_steady_run(sequence.symbols, period);
  const std::size_t phase = find_phase(sequence, run, period);
  const std::size_t length = anchor_length(sequence.symbols, phase, period);
  return make_iterations(sequence, find_anchors(sequence.symbols, phase, length), period);
}

}  // namespace gradwire
