#include "simulator/engine/token_buckets.hpp"

#include <algorithm>

#include "base/errors.hpp"

namespace gradwire {
namespace {

double bytes_per_second(BitsPerSecond bandwidth) { return bandwidth.bytes_per_second(); }

}  // namespace

TokenBuckets::TokenBuckets(const Cluster& cluster) : cluster_(cluster) {
  GW_CHECK(cluster.shaper.has_value(), "token buckets are those of a shaper");
  const double together = cluster.nics_together();
  rate_ = bytes_per_second(cluster.shaper->rate) * together;
  burst_ = static_cast<double>(cluster.shaper->burst.count()) * together;
  buckets_.assign(
      static_cast<std::size_t>(cluster.nodes) * static_cast<std::size_t>(cluster.nics_apart()),
      Bucket{burst_, 0.0});
}

double TokenBuckets::send(const Edge& edge, double start, double bytes) {
  const double peak = bytes_per_second(cluster_.link_between(edge.from, edge.to).bandwidth);
  if (!crosses(edge)) return start + bytes / peak;
  return send(buckets_[nic_of(edge.from)], start, bytes, peak);
}

double TokenBuckets::play_phase(const Phase& phase, Bytes element_size,
                                std::span<const Seconds> latencies, double start) {
  GW_CHECK(latencies.size() == static_cast<std::size_t>(phase.rounds), "one latency a round");
  if (phase.turns > 1) {
    throw InputError(
        "shaper: found with an algorithm whose ranks take turns, whose pauses the token buckets do "
        "not know; accepted: ring");
  }
  const double bytes = static_cast<double>((phase.elements * element_size).count()) / phase.rounds;
  double slowest_inside = 0.0;  // seconds
  for (const Edge& edge : phase.edges) {
    if (crosses(edge)) continue;
    const BitsPerSecond inside = cluster_.link_between(edge.from, edge.to).bandwidth;
    slowest_inside = std::max(slowest_inside, bytes / bytes_per_second(inside));
  }
  std::vector<Alike> groups = alike_nics(phase, start);
  double now = start;
  for (const Seconds latency : latencies) {
    const double begun = now + latency.count();
    now = begun + slowest_inside;
    for (Alike& group : groups) now = std::max(now, send(group.bucket, begun, bytes, group.peak));
  }
  for (const Alike& group : groups) {
    for (const std::size_t nic : group.nics) buckets_[nic] = group.bucket;
  }
  return now;
}

std::size_t TokenBuckets::nic_of(int rank) const {
  return static_cast<std::size_t>(cluster_.nic_of(rank));
}

bool TokenBuckets::crosses(const Edge& edge) const {
  return cluster_.node_of(edge.from) != cluster_.node_of(edge.to);
}

double TokenBuckets::send(Bucket& bucket, double start, double bytes, double peak) const {
  fill(bucket, start);
  // At peak until the tokens are gone, then at the rate; what arrives meanwhile is spent too.
  const double seconds = std::max(bytes / peak, (bytes - bucket.tokens) / rate_);
  bucket.tokens = std::clamp(bucket.tokens + rate_ * seconds - bytes, 0.0, burst_);
  bucket.since = start + seconds;
  return bucket.since;
}

void TokenBuckets::fill(Bucket& bucket, double until) const {
  bucket.tokens = std::min(burst_, bucket.tokens + rate_ * std::max(0.0, until - bucket.since));
  bucket.since = until;
}

std::vector<TokenBuckets::Alike> TokenBuckets::alike_nics(const Phase& phase, double start) {
  std::vector<Alike> groups;
  for (const Edge& edge : phase.edges) {
    if (!crosses(edge)) continue;
    const std::size_t nic = nic_of(edge.from);
    fill(buckets_[nic], start);
    const double peak = bytes_per_second(cluster_.link_between(edge.from, edge.to).bandwidth);
    const auto found = std::find_if(groups.begin(), groups.end(), [&](const Alike& group) {
      return group.peak == peak && group.bucket.tokens == buckets_[nic].tokens;
    });
    if (found != groups.end()) {
      found->nics.push_back(nic);
    } else {
      groups.push_back({buckets_[nic], peak, {nic}});
    }
  }
  return groups;
}

}  // namespace gradwire
