#include "compressors/cuda/selected_elements.hpp"

#include "compressors/cuda/element_kernels.hpp"
#include "compressors/cuda/magnitude_key.hpp"

namespace gradwire {
namespace {

/// Neighbours that one warp counts and writes.
constexpr std::int64_t kRegion = 4096;
constexpr int kWarpsABlock = kThreads / kWarp;

/// Threads of the one block that scans the regions' counts.
constexpr int kScanThreads = 256;

GW_DEVICE std::int64_t region_of_warp() {
  return std::int64_t{block_index()} * kWarpsABlock + thread_index() / kWarp;
}

/// For the warp's elements 32 at a time: which of them are taken, and which are between the bounds.
template <class Act>
GW_DEVICE void for_each_ballot(const float* vector, std::int64_t elements, SelectionBounds bounds,
                               Act act) {
  const std::int64_t begin = region_of_warp() * kRegion;
  for (std::int64_t first = begin; first < begin + kRegion; first += kWarp) {
    const std::int64_t i = first + thread_index() % kWarp;
    const std::uint32_t key = i < elements ? magnitude_key(vector[i]) : 0;
    const bool taken = i < elements && key >= bounds.all_from;
    const bool between = i < elements && !taken && key >= bounds.some_from;
    act(i, warp_ballot(taken), warp_ballot(between));
  }
}

GW_KERNEL count_regions(const float* vector, std::int64_t elements, const SelectionBounds* bounds,
                        std::int64_t regions, std::int64_t* taken, std::int64_t* between) {
  std::int64_t all_taken = 0;
  std::int64_t all_between = 0;
  for_each_ballot(vector, elements, *bounds,
                  [&](std::int64_t, std::uint32_t take, std::uint32_t middle) {
                    all_taken += bit_count(take);
                    all_between += bit_count(middle);
                  });
  if (thread_index() % kWarp != 0 || region_of_warp() >= regions) return;
  taken[region_of_warp()] = all_taken;
  between[region_of_warp()] = all_between;
}

/// The sum of what the threads in front of this one give, in a block of kScanThreads, and through
/// `all` that of all threads.
GW_DEVICE std::int64_t sum_in_front(std::int64_t own, std::int64_t& all) {
  GW_SHARED std::int64_t of_warps[kScanThreads / kWarp];
  const int lane = thread_index() % kWarp;
  std::int64_t with_own = own;
  for (int distance = 1; distance < kWarp; distance *= 2) {
    const std::int64_t in_front = warp_read(with_own, (lane - distance) & (kWarp - 1));
    if (lane >= distance) with_own += in_front;
  }
  sync_block();  // the sums of the call before have been read
  if (lane == kWarp - 1) of_warps[thread_index() / kWarp] = with_own;
  sync_block();
  std::int64_t in_front = with_own - own;
  all = 0;
  for (int warp = 0; warp < kScanThreads / kWarp; ++warp) {
    if (warp < thread_index() / kWarp) in_front += of_warps[warp];
    all += of_warps[warp];
  }
  return in_front;
}

/// Turns the `regions` counts into what lies in front of each, and the sum behind them.
GW_DEVICE std::int64_t scan(std::int64_t* counts, std::int64_t regions) {
  std::int64_t in_front = 0;
  for (std::int64_t begin = 0; begin < regions; begin += kScanThreads) {
    const std::int64_t region = begin + thread_index();
    std::int64_t all = 0;
    const std::int64_t own = sum_in_front(region < regions ? counts[region] : 0, all);
    if (region < regions) counts[region] = in_front + own;
    in_front += all;
  }
  if (thread_index() == 0) counts[regions] = in_front;
  return in_front;
}

/// One block.
GW_KERNEL scan_regions(std::int64_t regions, std::int64_t k, bool random, RandomKey key,
                       const std::uint32_t* exchange, std::int64_t* taken, std::int64_t* between,
                       std::int64_t* first) {
  const std::int64_t all_taken = scan(taken, regions);
  const std::int64_t all_between = scan(between, regions);
  if (thread_index() != 0) return;
  const auto places = static_cast<std::uint64_t>(all_between - (k - all_taken) + 1);
  *first = random
               ? static_cast<std::int64_t>(random_below(random_bits(key, *exchange, 0)[0], places))
               : 0;
}

GW_DEVICE std::int64_t within(std::int64_t value, std::int64_t most) {
  return value < 0 ? 0 : value < most ? value : most;
}

template <class Index>
GW_KERNEL write_selected(const float* vector, float* cleared, std::int64_t elements, std::int64_t k,
                         const SelectionBounds* bounds, std::int64_t regions,
                         const std::int64_t* taken_before, const std::int64_t* between_before,
                         const std::int64_t* first, float* values, Index* indices) {
  const std::int64_t region = region_of_warp() < regions ? region_of_warp() : regions;
  const std::int64_t missing = k - taken_before[regions];
  const std::int64_t run = *first;
  std::int64_t taken = taken_before[region];
  std::int64_t between = between_before[region];
  const int lane = thread_index() % kWarp;
  const std::uint32_t lower_lanes = (1U << lane) - 1;
  for_each_ballot(vector, elements, *bounds,
                  [&](std::int64_t i, std::uint32_t take, std::uint32_t middle) {
                    const std::int64_t taken_here = taken + bit_count(take & lower_lanes);
                    const std::int64_t place = between + bit_count(middle & lower_lanes) - run;
                    const bool in_run = (middle >> lane & 1) != 0 && place >= 0 && place < missing;
                    if ((take >> lane & 1) != 0 || in_run) {
                      const std::int64_t to = taken_here + within(place, missing);
                      values[to] = vector[i];
                      indices[to] = static_cast<Index>(i);
                      if (cleared != nullptr) cleared[i] = 0.0F;
                    }
                    taken += bit_count(take);
                    between += bit_count(middle);
                  });
}

/// The first of `count` ascending indices that is at least `bound`.
template <class Index>
GW_DEVICE std::int64_t lower_bound(const Index* indices, std::int64_t count, std::int64_t bound) {
  std::int64_t begin = 0;
  while (count > 0) {
    const std::int64_t half = count / 2;
    if (static_cast<std::int64_t>(indices[begin + half]) < bound) {
      begin += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return begin;
}

/// Elements of `averaged` that one block makes, in its own memory.
constexpr int kTile = 4096;

template <class Index>
GW_KERNEL average_tiles(const float* values, const Index* indices, std::int64_t k, int ranks,
                        std::int64_t elements, float* averaged) {
  GW_SHARED float tile[kTile];
  GW_SHARED std::int64_t begins[kThreads];
  GW_SHARED std::int64_t ends[kThreads];
  const std::int64_t begin = std::int64_t{block_index()} * kTile;
  for (int i = thread_index(); i < kTile; i += kThreads) tile[i] = 0.0F;
  for (int some = 0; some < ranks; some += kThreads) {  // as many ranks at a time as threads
    sync_block();
    if (const std::int64_t rank = some + thread_index(); rank < ranks) {
      begins[thread_index()] = rank * k + lower_bound(indices + rank * k, k, begin);
      ends[thread_index()] = rank * k + lower_bound(indices + rank * k, k, begin + kTile);
    }
    const int behind = ranks - some < kThreads ? ranks - some : kThreads;
    for (int rank = 0; rank < behind; ++rank) {
      sync_block();  // one rank after another: the order of the sum
      for (std::int64_t i = begins[rank] + thread_index(); i < ends[rank]; i += kThreads) {
        tile[static_cast<std::int64_t>(indices[i]) - begin] += values[i];
      }
    }
  }
  sync_block();
  for (int i = thread_index(); i < kTile && begin + i < elements; i += kThreads) {
    averaged[begin + i] = tile[i] / static_cast<float>(ranks);
  }
}

GW_KERNEL add_elements(const float* gradient, std::int64_t elements, float* memory) {
  for_each_element(elements, [=](std::int64_t i) { memory[i] += gradient[i]; });
}

template <class Index>
void average(const float* values, const void* indices, std::int64_t k, int ranks,
             std::int64_t elements, float* averaged, Stream stream) {
  launch(average_tiles<Index>, blocks_for(elements, kTile), kThreads, stream, values,
         static_cast<const Index*>(indices), k, ranks, elements, averaged);
}

}  // namespace

SelectedElements::SelectedElements(std::int64_t elements, std::int64_t k, std::int64_t index_bytes,
                                   Run run, RandomKey key)
    : elements_(elements),
      k_(k),
      index_bytes_(index_bytes),
      run_(run),
      key_(key),
      taken_(static_cast<std::size_t>(blocks_for(elements, kRegion) + 1)),
      between_(taken_.size()),
      first_(1) {}

void SelectedElements::write(const float* vector, float* cleared, const SelectionBounds* bounds,
                             const std::uint32_t* exchange, float* values, void* indices,
                             Stream stream) {
  const auto regions = static_cast<std::int64_t>(taken_.size()) - 1;
  const std::int64_t blocks = blocks_for(regions, kWarpsABlock);
  launch(count_regions, blocks, kThreads, stream, vector, elements_, bounds, regions, taken_.get(),
         between_.get());
  launch(scan_regions, 1, kScanThreads, stream, regions, k_, run_ == Run::kRandom, key_, exchange,
         taken_.get(), between_.get(), first_.get());
  const auto write_as = [&](auto* typed, auto kernel) {
    launch(kernel, blocks, kThreads, stream, vector, cleared, elements_, k_, bounds, regions,
           taken_.get(), between_.get(), first_.get(), values, typed);
  };
  if (index_bytes_ == 8) {
    write_as(static_cast<std::int64_t*>(indices), write_selected<std::int64_t>);
  } else {
    write_as(static_cast<std::uint32_t*>(indices), write_selected<std::uint32_t>);
  }
}

void average_selected(const float* values, const void* indices, std::int64_t index_bytes,
                      std::int64_t k, int ranks, std::int64_t elements, float* averaged,
                      Stream stream) {
  if (index_bytes == 8) {
    average<std::int64_t>(values, indices, k, ranks, elements, averaged, stream);
  } else {
    average<std::uint32_t>(values, indices, k, ranks, elements, averaged, stream);
  }
}

void add_gradient(const float* gradient, std::int64_t elements, float* memory, Stream stream) {
  launch(add_elements, blocks_for(elements, kElementsABlock), kThreads, stream, gradient, elements,
         memory);
}

}  // namespace gradwire
