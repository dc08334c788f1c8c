#include "simulator/validation/baseline.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "simulator/validation/error_summary.hpp"

namespace gradwire {
namespace {

std::vector<HookExchange> exchanges_of(const Scenario& scenario) {
  const Scheme* scheme = scenario.compression.scheme.get();
  if (scheme != nullptr && !scheme->cast_size()) return hook_exchanges(scenario);
  std::vector<HookExchange> exchanges;
  for (const Bucket& bucket : make_buckets(scenario.workload->gradients, scenario.caps)) {
    const Bytes size = scheme != nullptr ? *scheme->cast_size() : *element_size(bucket.dtype);
    HookExchange exchange;
    exchange.ready = bucket.ready;
    exchange.transfers = {{"", CollectiveKind::kAllReduce, bucket.elements, size}};
    exchanges.push_back(std::move(exchange));
  }
  return exchanges;
}

/// One scenario, which is asked for many rates.
class Baseline {
 public:
  explicit Baseline(const Scenario& scenario)
      : ranks_(scenario.workers),
        slowest_(slowest_factor(scenario)),
        span_(scenario.workload->backward_span),
        exchanges_(exchanges_of(scenario)) {}

  Seconds time(BitsPerSecond rate) const {
    Seconds encoding{0};
    Seconds sent{0};
    Seconds done = span_ * slowest_;
    for (const HookExchange& exchange : exchanges_) {
      encoding += exchange.encode * slowest_;
      sent = std::max(sent, exchange.ready * slowest_ + encoding);
      for (const Transfer& transfer : exchange.transfers) {
        sent += blocks(transfer.kind) * (transfer.bytes() / rate);
      }
      done = std::max(done, sent) + exchange.decode * slowest_;
    }
    return done;
  }

 private:
  /// How often a rank's buffer goes over its link.
  double blocks(CollectiveKind kind) const {
    return kind == CollectiveKind::kAllReduce ? 2 * (ranks_ - 1) / ranks_ : ranks_ - 1;
  }

  double ranks_;
  double slowest_;
  Seconds span_;
  std::vector<HookExchange> exchanges_;
};

}  // namespace

Seconds baseline_time(const Scenario& scenario, BitsPerSecond link, double efficiency) {
  return Baseline(scenario).time(link * efficiency);
}

double fit_baseline(const std::vector<BaselineCase>& cases) {
  std::vector<Baseline> baselines;
  for (const BaselineCase& one : cases) baselines.emplace_back(one.scenario);
  double best = 1.0;
  std::pair<double, double> least{std::numeric_limits<double>::infinity(), 0.0};
  for (int step = 300; step <= 1000 && !cases.empty(); ++step) {
    const double efficiency = step / 1000.0;
    std::vector<double> errors;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const Seconds answer = cases[i].outside + baselines[i].time(cases[i].link * efficiency);
      errors.push_back(std::abs(answer / cases[i].measured - 1.0));
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
