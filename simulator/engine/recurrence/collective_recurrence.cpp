#include "simulator/engine/recurrence/collective_recurrence.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include "base/errors.hpp"
#include "simulator/engine/recurrence/ring_kernel.hpp"

namespace gradwire {
namespace {

// Below, a ring round by round is about as quick.
constexpr std::size_t kManyRanks = 256;

}  // namespace

CollectiveRecurrence::CollectiveRecurrence(const Cluster& cluster, LatencyMode mode, int workers,
                                           std::optional<LatencyJitter> jitter)
    : cluster_(cluster), mode_(mode), jitter_(jitter) {
  if (cluster.shaper) buckets_.emplace(cluster);
  for (int rank = 0; rank < workers; ++rank) {
    const LinkSpec link = cluster.link_between(rank, (rank + 1) % workers);
    ring_seconds_per_byte_.push_back(link.bandwidth.seconds_per_byte());
  }
  ring_is_uniform_ = std::all_of(ring_seconds_per_byte_.begin(), ring_seconds_per_byte_.end(),
                                 [&](double cost) { return cost == ring_seconds_per_byte_[0]; });
}

Seconds CollectiveRecurrence::play(const Schedule& schedule, std::vector<double>& times,
                                   std::size_t op) {
  GW_CHECK(times.size() == static_cast<std::size_t>(schedule.ranks()), "one start a rank");
  const RoundLatencies latencies = round_latencies(schedule, cluster_, mode_, jitter_, op);
  if (schedule.rounds() == 0) return latencies.sum;
  if (schedule.waits_for_all()) {
    std::fill(times.begin(), times.end(), *std::max_element(times.begin(), times.end()));
  }
  if (mode_ == LatencyMode::kOverlapped) {
    play_overlapped(schedule, times);
  } else if (schedule.ring() != nullptr && times.size() == ring_seconds_per_byte_.size() &&
             !buckets_) {
    play_ring(*schedule.ring(), schedule.call().element_size, latencies, times);
  } else {
    play_messages(schedule, latencies, times);
  }
  return latencies.sum;
}

Seconds CollectiveRecurrence::play_equal_ranks(const Schedule& schedule, Seconds start,
                                               Seconds& latency, std::size_t op) {
  latency = Seconds{0};
  Seconds end = start;
  const Bytes size = schedule.call().element_size;
  if (!jitter_ && !buckets_) {
    for (const Phase& phase : schedule.phases()) {
      const PhaseCost cost = phase_cost(phase, size, cluster_, mode_);
      latency += cost.latency(phase);
      end += cost.total(phase, size);
    }
    return end;
  }
  const std::vector<Seconds> latencies =
      round_latencies(schedule, cluster_, mode_, jitter_, op).rounds;
  std::size_t round = 0;
  for (const Phase& phase : schedule.phases()) {
    const std::span of_phase =
        std::span(latencies).subspan(round, static_cast<std::size_t>(phase.rounds));
    round += of_phase.size();
    const Seconds spent = std::accumulate(of_phase.begin(), of_phase.end(), Seconds{0});
    latency += spent;
    if (buckets_) {
      end = Seconds{buckets_->play_phase(phase, size, of_phase, end.count())};
    } else {
      end += spent + phase.elements * size / phase_cost(phase, size, cluster_, mode_).slowest;
    }
  }
  return end;
}

/// When the bytes of a message that begins at `start` have left.
double CollectiveRecurrence::sent(const Message& message, double start, Bytes bytes,
                                  BitsPerSecond bandwidth) {
  if (!buckets_) return start + (bytes / bandwidth).count();
  return buckets_->send({message.from, message.to}, start, static_cast<double>(bytes.count()));
}

void CollectiveRecurrence::play_ring(const RingRounds& ring, Bytes element_size,
                                     const RoundLatencies& latencies, std::vector<double>& times) {
  const std::size_t n = times.size();
  std::vector<double> bytes;
  bytes.reserve(2 * n);
  for (const Elements chunk : ring.chunks) {
    bytes.push_back(static_cast<double>((chunk * element_size).count()));
  }
  if (n >= kManyRanks &&
      paths_.play(ring.rounds, bytes, ring_seconds_per_byte_, latencies.sum.count(), times)) {
    return;
  }
  // Twice the chunks in a row, so that those of round k, (i - k) mod n for rank i, are a window.
  bytes.insert(bytes.end(), bytes.begin(), bytes.end());
  costs_.resize(2 * n);
  next_.resize(n);
  const bool same_costs = ring_is_uniform_ && !jitter_;
  if (same_costs) {
    const std::vector<double> same(2 * n, ring_seconds_per_byte_[0]);
    ring_costs(bytes.data(), same.data(), latencies.rounds[0].count(), costs_.data(), 2 * n);
  }
  for (int round = 0; round < ring.rounds; ++round) {
    const std::size_t window = (n - static_cast<std::size_t>(round) % n) % n;
    const double* cost = costs_.data();
    if (same_costs) {
      cost += window;
    } else {
      const double alpha = latencies.rounds[static_cast<std::size_t>(round)].count();
      ring_costs(bytes.data() + window, ring_seconds_per_byte_.data(), alpha, costs_.data(), n);
    }
    ring_round(times.data(), cost, next_.data(), n);
    times.swap(next_);
  }
}

void CollectiveRecurrence::play_messages(const Schedule& schedule, const RoundLatencies& latencies,
                                         std::vector<double>& times) {
  received_.assign(times.size(), 0.0);
  for (int round = 0; round < schedule.rounds(); ++round) {
    const double alpha = latencies.rounds[static_cast<std::size_t>(round)].count();
    messages_.clear();
    schedule.append_messages(round, messages_);
    next_ = times;
    arrivals_ = received_;
    for (const Message& message : messages_) {
      const LinkSpec link = cluster_.link_between(message.from, message.to);
      const Bytes bytes = message.elements * schedule.call().element_size;
      const auto from = static_cast<std::size_t>(message.from);
      const auto to = static_cast<std::size_t>(message.to);
      const double start = std::max(times[from], received_[to]);
      const double arrival = sent(message, start + alpha, bytes, link.bandwidth);
      next_[from] = std::max(next_[from], arrival);
      next_[to] = std::max(next_[to], arrival);
      arrivals_[to] = std::max(arrivals_[to], arrival);
    }
    times.swap(next_);
    received_.swap(arrivals_);
  }
}

void CollectiveRecurrence::play_overlapped(const Schedule& schedule, std::vector<double>& times) {
  arrivals_ = times;  // when what was sent to a rank in the round before has arrived
  received_.assign(times.size(), 0.0);
  for (int round = 0; round < schedule.rounds(); ++round) {
    messages_.clear();
    schedule.append_messages(round, messages_);
    next_ = arrivals_;
    for (const Message& message : messages_) {
      const LinkSpec link = cluster_.link_between(message.from, message.to);
      const auto from = static_cast<std::size_t>(message.from);
      const auto to = static_cast<std::size_t>(message.to);
      const Bytes bytes = message.elements * schedule.call().element_size;
      const double start = std::max({times[from], arrivals_[from], received_[to]});
      times[from] = received_[to] = sent(message, start, bytes, link.bandwidth);
      next_[to] = std::max(next_[to], times[from] + link.latency.count());
    }
    arrivals_.swap(next_);
  }
  for (std::size_t i = 0; i < times.size(); ++i) times[i] = std::max(times[i], arrivals_[i]);
}

}  // namespace gradwire
