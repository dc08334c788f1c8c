#include "simulator/questions/bucket_choice.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "base/errors.hpp"
#include "simulator/scenario/contention.hpp"
#include "simulator/study/estimator.hpp"

namespace gradwire {
namespace {

/// What two times must differ by to be told apart: less is rounding.
constexpr Seconds kRounding{1e-9};

/// All that a candidate asks of one bucket. Less in each is taken never to be slower.
using Demands = std::array<double, 11>;

Demands demands_of(const BucketCost& cost, double latencies, double bits) {
  Demands demands{latencies, bits};
  std::size_t next = 2;
  for (const StageCost& stage : {cost.encode, cost.between, cost.decode}) {
    for (const Seconds time : {stage.host, stage.device, stage.wait}) {
      demands[next++] = time.count();
    }
  }
  return demands;
}

bool is_at_most(const Demands& a, const Demands& b) {
  return std::equal(a.begin(), a.end(), b.begin(), std::less_equal<>());
}

/// One scenario, asked for many combinations.
class Search {
 public:
  Search(const Scenario& scenario, const std::vector<BucketCandidate>& candidates)
      : scenario_(scenario), candidates_(candidates) {
    Compression& compression = scenario_.compression;
    const double payload_factor = compression.payload_factor;
    const OverlapCosts overlap_costs = compression.overlap_costs;
    compression = {};
    compression.payload_factor = payload_factor;
    compression.overlap_costs = overlap_costs;
    compression.mode = CompressionMode::kOverlapped;
    buckets_ = make_buckets(scenario.workload->gradients, scenario.caps).size();
    compression.bucket_schemes.resize(buckets_);
    compression.buckets.resize(buckets_);
    for (const BucketCandidate& candidate : candidates) {
      GW_CHECK(candidate.costs.size() == buckets_, "a candidate has a cost for every bucket");
    }
  }

  std::size_t buckets() const { return buckets_; }
  const Scenario& scenario() const { return scenario_; }
  std::int64_t played() const { return played_; }

  Seconds play(const std::vector<std::size_t>& choice) {
    set(choice);
    ++played_;
    return recurrence_time(scenario_);
  }

  void set(const std::vector<std::size_t>& choice) {
    for (std::size_t i = 0; i < buckets_; ++i) {
      const BucketCandidate& candidate = candidates_[choice[i]];
      scenario_.compression.bucket_schemes[i] = candidate.scheme;
      scenario_.compression.buckets[i] = candidate.costs[i];
    }
  }

  /// By bucket, what each candidate asks of it.
  std::vector<std::vector<Demands>> demands() {
    std::vector<std::vector<Demands>> result(buckets_);
    for (std::size_t c = 0; c < candidates_.size(); ++c) {
      set(std::vector<std::size_t>(buckets_, c));
      const auto transfers = bucket_transfers(scenario_);
      for (std::size_t i = 0; i < buckets_; ++i) {
        double latencies = 0.0;
        double bits = 0.0;
        for (const Transfer& transfer : transfers[i]) {
          const auto schedule = schedule_for(transfer);
          latencies += schedule->closed_form(Seconds{1}, BitsPerSecond{kEndless}).count();
          bits += schedule->closed_form(Seconds{0}, BitsPerSecond{1}).count();
        }
        result[i].push_back(demands_of(candidates_[c].costs[i], latencies, bits));
      }
    }
    return result;
  }

 private:
  static constexpr double kEndless = std::numeric_limits<double>::infinity();

  std::shared_ptr<const Schedule> schedule_for(const Transfer& transfer) const {
    const Elements elements = scaled_payload(transfer.elements, scenario_.compression);
    return schedule_of(scenario_, {transfer.kind, elements, transfer.element_size});
  }

  Scenario scenario_;
  const std::vector<BucketCandidate>& candidates_;
  std::size_t buckets_ = 0;
  std::int64_t played_ = 0;
};

using Options = std::vector<std::vector<std::size_t>>;  // candidates by bucket

std::vector<std::size_t> undominated(const std::vector<Demands>& demands) {
  std::vector<std::size_t> kept;
  for (std::size_t c = 0; c < demands.size(); ++c) {
    bool needed = true;
    for (std::size_t other = 0; other < demands.size() && needed; ++other) {
      if (other == c || !is_at_most(demands[other], demands[c])) continue;
      needed = demands[other] == demands[c] && c < other;
    }
    if (needed) kept.push_back(c);
  }
  return kept;
}

Options options_of(Search& search, std::size_t candidates, bool prune) {
  std::vector<std::size_t> all(candidates);
  for (std::size_t c = 0; c < candidates; ++c) all[c] = c;
  if (!prune) return Options(search.buckets(), all);
  Options options;
  for (const auto& demands : search.demands()) options.push_back(undominated(demands));
  return options;
}

std::int64_t combinations_of(const Options& options) {
  std::int64_t product = 1;
  for (const auto& candidates : options) {
    const auto count = static_cast<std::int64_t>(candidates.size());
    if (product > std::numeric_limits<std::int64_t>::max() / count) {
      return std::numeric_limits<std::int64_t>::max();
    }
    product *= count;
  }
  return product;
}

void keep_if_faster(const std::vector<std::size_t>& combination, Seconds time,
                    BucketChoice& choice) {
  if (time >= choice.time - kRounding) return;
  choice.time = time;
  choice.candidates = combination;
}

void play_all(const Options& options, Search& search, BucketChoice& choice) {
  std::vector<std::size_t> digits(options.size(), 0);
  std::vector<std::size_t> combination(options.size());
  while (true) {
    for (std::size_t i = 0; i < options.size(); ++i) combination[i] = options[i][digits[i]];
    keep_if_faster(combination, search.play(combination), choice);
    std::size_t place = 0;
    while (place < digits.size() && ++digits[place] == options[place].size()) digits[place++] = 0;
    if (place == digits.size()) return;
  }
}

/// From `combination` on, until no single change is faster.
void change_one_at_a_time(std::vector<std::size_t> combination, const Options& options,
                          Search& search, BucketChoice& choice) {
  Seconds time = search.play(combination);
  bool changed = true;
  while (changed) {
    changed = false;
    for (std::size_t i = 0; i < options.size(); ++i) {
      for (const std::size_t candidate : options[i]) {
        std::vector<std::size_t> other = combination;
        if (other[i] == candidate) continue;
        other[i] = candidate;
        const Seconds other_time = search.play(other);
        if (other_time >= time - kRounding) continue;
        time = other_time;
        combination = std::move(other);
        changed = true;
      }
    }
  }
  keep_if_faster(combination, time, choice);
}

/// A bucket keeps the uniform candidate where its own gains nothing.
void undo_what_gains_nothing(Search& search, BucketChoice& choice) {
  const Seconds limit = choice.time + kRounding;
  for (std::size_t i = 0; i < choice.candidates.size(); ++i) {
    std::vector<std::size_t> combination = choice.candidates;
    if (combination[i] == choice.uniform) continue;
    combination[i] = choice.uniform;
    const Seconds time = search.play(combination);
    if (time > limit) continue;
    choice.candidates = std::move(combination);
    choice.time = time;
  }
}

}  // namespace

BucketChoice find_bucket_choice(const Scenario& scenario,
                                const std::vector<BucketCandidate>& candidates,
                                const BucketSearch& limits) {
  GW_CHECK(scenario.workers > 1 && !candidates.empty(),
           "buckets are compressed among several workers by one of several candidates");
  Search search(scenario, candidates);
  BucketChoice choice;
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    const std::vector<std::size_t> uniform(search.buckets(), c);
    search.set(uniform);
    check_unshared(search.scenario());
    const Seconds time = search.play(uniform);
    if (c > 0 && time >= choice.time) continue;
    choice.uniform = c;
    choice.candidates = uniform;
    choice.uniform_time = choice.time = time;
  }
  const Options options = options_of(search, candidates.size(), limits.prune);
  choice.combinations = combinations_of(options);
  choice.exact = choice.combinations <= limits.exact_up_to;
  if (choice.exact) {
    play_all(options, search, choice);
  } else {
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      change_one_at_a_time(std::vector<std::size_t>(search.buckets(), c), options, search, choice);
    }
  }
  undo_what_gains_nothing(search, choice);
  search.set(choice.candidates);
  choice.compression = search.scenario().compression;
  choice.played = search.played();
  return choice;
}

}  // namespace gradwire
