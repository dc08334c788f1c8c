#include "simulator/validation/baseline.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "simulator/validation/error_summary.hpp"

namespace gradwire {

namespace {

/// What is exchanged at once: collectives of one kind each, and the work before and after.
struct Exchange {
  Seconds ready{0};
  std::vector<Transfer> transfers;
  Seconds encode{0};
  Seconds decode{0};
};

std::vector<Exchange> exchanges_of(const Scenario& scenario) {
  const Workload& workload = *scenario.workload;
  const Compression& compression = scenario.compression;
  const Scheme* scheme = compression.scheme.get();
  const bool buckets_as_they_are = scheme == nullptr || scheme->cast_size();
  if (!buckets_as_they_are && !is_overlapped(scenario)) {
    return {{workload.backward_span, scheme->transfers(tensor_shapes(workload)), compression.encode,
             compression.decode}};
  }
  std::vector<Exchange> exchanges;
  const std::vector<Bucket> buckets = make_buckets(workload.gradients, scenario.caps);
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    Exchange exchange{buckets[i].ready, {}};
    if (buckets_as_they_are) {
      const Bytes size = scheme != nullptr ? *scheme->cast_size() : *element_size(buckets[i].dtype);
      exchange.transfers = {{"", CollectiveKind::kAllReduce, buckets[i].elements, size}};
    } else {
      exchange.transfers = scheme->transfers(bucket_shapes(workload, scenario.caps)[i]);
      exchange.encode = compression.buckets[i].encode.alone();
      exchange.decode = compression.buckets[i].decode.alone();
    }
    exchanges.push_back(std::move(exchange));
  }
  return exchanges;
}

}  // namespace

Seconds baseline_time(const Scenario& scenario, BitsPerSecond link, double efficiency) {
  const double n = scenario.workers;
  const auto& factors = scenario.compute_factors;
  const double slowest = factors.empty() ? 1.0 : *std::max_element(factors.begin(), factors.end());
  Seconds encoding{0};
  Seconds sent{0};
  Seconds done = scenario.workload->backward_span * slowest;
  for (const Exchange& exchange : exchanges_of(scenario)) {
    encoding += exchange.encode * slowest;
    sent = std::max(sent, exchange.ready * slowest + encoding);
    for (const Transfer& transfer : exchange.transfers) {
      const double blocks = transfer.kind == CollectiveKind::kAllReduce ? 2 * (n - 1) / n : n - 1;
      sent += blocks * (transfer.bytes() / (link * efficiency));
    }
    done = std::max(done, sent) + exchange.decode * slowest;
  }
  return done;
}

double fit_baseline(const std::vector<BaselineCase>& cases) {
  double best = 1.0;
  std::pair<double, double> least{std::numeric_limits<double>::infinity(), 0.0};
  for (int step = 300; step <= 1000 && !cases.empty(); ++step) {
    const double efficiency = step / 1000.0;
    std::vector<double> errors;
    for (const BaselineCase& one : cases) {
      const Seconds answer = baseline_time(one.scenario, one.link, efficiency);
      errors.push_back(std::abs(answer / one.measured - 1.0));
    }
    const std::pair found{summarize(errors).median,
                          std::accumulate(errors.begin(), errors.end(), 0.0)};
    if (found >= least) continue;
    least = found;
    best = efficiency;
  }
  return best;
}

}  // namespace gradwire
