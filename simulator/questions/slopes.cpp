#include "simulator/questions/slopes.hpp"

#include <algorithm>
#include <cmath>

#include "simulator/scenario/contention.hpp"
#include "simulator/scenario/what_if.hpp"
#include "simulator/study/estimator.hpp"

namespace gradwire {
namespace {

constexpr double kStep = 1e-3;

/// The scenario after a relative step of one input.
using Step = std::function<Scenario(double step)>;

/// `unit` is how many units of the input a relative step of 1 is.
Slope slope(Seconds here, double unit, const Step& step) {
  const auto side = [&](double by) {
    return (exact_time(step(by)) - here).count() * 1e3 / (by * unit);
  };
  return {side(-kStep), side(kStep)};
}

Scenario with_more_bandwidth(const Scenario& scenario, double factor) {
  return with_bandwidth(scenario, scenario.cluster.nic.bandwidth * factor);
}

Slope latency_slope(const Scenario& scenario, Seconds here) {
  // An absolute step, for there may be no latency yet.
  const Seconds base = std::max(scenario.cluster.nic.latency, Seconds{1e-6});
  const Step step = [&](double by) {
    Scenario question = scenario;
    question.cluster.nic.latency += base * by;
    return question;
  };
  const double unit = base.count() * 1e6;
  if (scenario.cluster.nic.latency >= base * kStep) return slope(here, unit, step);
  return {std::nullopt, (exact_time(step(kStep)) - here).count() * 1e3 / (kStep * unit)};
}

/// Undisturbed encoding and decoding of an iteration; absent where nothing is encoded.
std::optional<Seconds> encode_decode_of(const Scenario& scenario) {
  const Compression& compression = scenario.compression;
  Seconds total{0};
  if (is_overlapped(scenario)) {
    for (const BucketCost& bucket : compression.buckets) {
      total += bucket.encode.alone() + bucket.between.alone() + bucket.decode.alone();
    }
  } else if (scenario.workers > 1 && compression.scheme && !compression.scheme->cast_size()) {
    total = compression.encode + compression.decode;
  }
  if (total.count() <= 0.0) return std::nullopt;
  return total;
}

}  // namespace

bool Slope::has_kink() const {
  if (!less) return false;
  return std::abs(more - *less) > kKink * std::max(std::abs(more), std::abs(*less));
}

Seconds exact_time(const Scenario& scenario) {
  const bool uneven_overlapped = is_overlapped(scenario) && !rank_factors(scenario).empty();
  const Estimator estimator = uneven_overlapped || links_are_shared(scenario)
                                  ? Estimator::kSimgrid
                                  : Estimator::kRecurrence;
  return estimate(scenario, estimator).backward_sync;
}

Slopes measure_slopes(const Scenario& scenario) {
  const Seconds here = exact_time(scenario);
  Slopes slopes;
  slopes.ms_per_gbps = slope(here, scenario.cluster.nic.bandwidth.count() * 1e-9, [&](double step) {
    return with_more_bandwidth(scenario, 1.0 + step);
  });
  slopes.ms_per_us = latency_slope(scenario, here);
  slopes.encode_decode = encode_decode_of(scenario);
  if (slopes.encode_decode) {
    slopes.ms_per_encode_ms = slope(here, slopes.encode_decode->count() * 1e3, [&](double step) {
      return with_cheaper_encode(scenario, 1.0 / (1.0 + step));
    });
  }
  constexpr double kPercent = 100.0;
  slopes.ms_per_compute_percent = slope(here, kPercent, [&](double step) {
    return with_faster_compute(scenario, 1.0 / (1.0 + step));
  });
  slopes.ms_per_payload_percent = slope(here, kPercent, [&](double step) {
    Scenario question = with_more_bandwidth(scenario, 1.0 / (1.0 + step));
    question.cluster.intra.bandwidth = question.cluster.intra.bandwidth * (1.0 / (1.0 + step));
    return question;
  });
  return slopes;
}

}  // namespace gradwire
