#include "simulator/questions/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "base/errors.hpp"
#include "compressors/spec/registry.hpp"
#include "simulator/questions/bucket_choice.hpp"
#include "simulator/scenario/contention.hpp"
#include "simulator/study/compressor_choice.hpp"

namespace gradwire {
namespace {

/// What two times must differ by to be told apart.
constexpr Seconds kRounding{1e-9};

constexpr const char* kCasts[] = {"fp16", "bf16"};

/// A row whose corners are not compared yet.
struct TimedRow {
  AdviceRow row;
  CornerTimes times;
  double batches = 1.0;
};

class Adviser {
 public:
  explicit Adviser(const AdviceQuestion& question)
      : question_(question), plain_(question.scenario) {
    plain_.compression = {};
  }

  Advice advise() {
    find_baselines();
    find_costs();
    if (advice_.costs_known) {
      for (const std::string& compressor : question_.compressors) add_compressor(compressor);
      add_by_bucket();
    }
    add_alternatives();
    advice_.ranked = compared(std::move(ranked_));
    advice_.instead = compared(std::move(instead_));
    advice_.scorecard = make_scorecard(
        {plain_, question_.assumptions, question_.device, question_.profile, best_baseline_},
        question_.compressors);
    add_basis();
    return std::move(advice_);
  }

 private:
  CompressorChoice choose(const std::string& spelling, CompressionMode mode) const {
    GivenCost given;
    if (!parse_scheme(spelling)->cast_size()) given.profile = question_.profile;
    return choose_compressor(spelling, plain_, question_.device, mode, given);
  }

  CornerTimes times_of(const Scenario& scenario) const {
    return corner_times(scenario, question_.assumptions);
  }

  Scenario with(Compression compression) const {
    Scenario scenario = plain_;
    scenario.compression = std::move(compression);
    return scenario;
  }

  void find_baselines() {
    add_baseline("float32", {}, {}, "nothing");
    for (const char* cast : kCasts) {
      CompressorChoice choice = choose(cast, CompressionMode::kSerial);
      add_baseline(cast, std::move(choice.compression), choice.standing, "precision");
    }
  }

  void add_baseline(const std::string& name, Compression compression, std::string standing,
                    std::string changes) {
    TimedRow timed;
    timed.row.what = name;
    timed.row.standing = std::move(standing);
    timed.row.changes = std::move(changes);
    baselines_.emplace_back(name, compression);
    timed.times = times_of(with(std::move(compression)));
    if (advice_.best_baseline.empty() || timed.times.here < best_baseline_.here - kRounding) {
      advice_.best_baseline = name;
      advice_.best_baseline_time = timed.times.here;
      best_baseline_ = timed.times;
    }
    ranked_.push_back(std::move(timed));
  }

  bool is_baseline(const std::string& name) const {
    return std::any_of(baselines_.begin(), baselines_.end(),
                       [&](const auto& baseline) { return baseline.first == name; });
  }

  void find_costs() {
    const CostProfile* profile =
        question_.profile ? &*question_.profile : find_cost_profile(question_.device);
    advice_.costs_known = profile != nullptr;
    advice_.costs_fit = profile != nullptr && profile->matches(question_.device);
  }

  void add_compressor(const std::string& spelling) {
    for (const CompressionMode mode : {CompressionMode::kSerial, CompressionMode::kOverlapped}) {
      if (const auto choice = choose_if_known(spelling, mode)) add_choice(*choice, mode);
    }
  }

  /// Nothing where the profile has no figure of it, which the scorecard says.
  std::optional<CompressorChoice> choose_if_known(const std::string& spelling,
                                                  CompressionMode mode) const {
    try {
      return choose(spelling, mode);
    } catch (const InputError&) {
      return std::nullopt;
    }
  }

  void add_choice(const CompressorChoice& choice, CompressionMode mode) {
    TimedRow timed;
    timed.row.what = choice.spelling;
    timed.row.kind = AdviceKind::kCompressor;
    timed.row.mode = mode;
    timed.row.standing = choice.standing;
    timed.row.changes = "gradients";
    timed.row.basis = choice.basis;
    const std::optional<double> lost = left_out_unseen(choice.spelling);
    if (lost && *lost > kMostLeftOut) {
      timed.row.not_advised = fmt::format(
          "it leaves out {:.3g} % of a gradient's squares without looking at them (derived)",
          *lost * 100.0);
    }
    const bool may_be_advised = timed.row.not_advised.empty();
    timed.times = times_of(with(choice.compression));
    ranked_.push_back(std::move(timed));
    for (const std::string& warning : choice.warnings) {
      auto& all = advice_.warnings;
      if (std::find(all.begin(), all.end(), warning) == all.end()) all.push_back(warning);
    }
    if (mode == CompressionMode::kOverlapped && may_be_advised) overlapped_.push_back(choice);
  }

  void add_by_bucket() {
    std::vector<BucketCandidate> candidates;
    std::vector<std::string> names;
    const std::vector<Bucket> buckets = make_buckets(plain_.workload->gradients, plain_.caps);
    const auto add = [&](const std::string& name, const Compression& compression) {
      names.push_back(name);
      candidates.push_back({compression.scheme, compression.buckets});
      candidates.back().costs.resize(buckets.size());  // a cast has none
    };
    for (const auto& [name, compression] : baselines_) add(name, compression);
    for (const CompressorChoice& choice : overlapped_) add(choice.spelling, choice.compression);
    for (const CompressorChoice& choice : overlapped_) {
      if (!links_are_shared(with(choice.compression))) continue;
      advice_.why_not_by_bucket =
          "the best choice per bucket is not searched for where links are shared: each of "
          "thousands of combinations would be a simulation";
      return;
    }
    const BucketChoice found = find_bucket_choice(plain_, candidates);
    ByBucketAdvice& by_bucket = advice_.by_bucket.emplace();
    by_bucket.uniform = names[found.uniform];
    by_bucket.uniform_time = found.uniform_time;
    by_bucket.exact = found.exact;
    by_bucket.combinations = found.combinations;
    by_bucket.played = found.played;
    TimedRow timed;
    timed.row.kind = AdviceKind::kByBucket;
    timed.row.what = "a mix of schemes by bucket";
    timed.row.mode = CompressionMode::kOverlapped;
    timed.row.changes = "gradients";
    for (std::size_t i = 0; i < buckets.size(); ++i) {
      const std::string& name = names[found.candidates[i]];
      by_bucket.buckets.push_back({buckets[i].bytes(), buckets[i].ready, name});
      by_bucket.compresses = by_bucket.compresses || !is_baseline(name);
    }
    by_bucket.is_uniform = std::adjacent_find(found.candidates.begin(), found.candidates.end(),
                                              std::not_equal_to<>()) == found.candidates.end();
    if (by_bucket.is_uniform || !by_bucket.compresses) return;
    timed.row.standing = standing_of(by_bucket);
    timed.row.basis.emplace_back(
        "what a scheme takes whatever the size counts by the elements of the buckets that it has, "
        "which favours a mix");
    timed.times = times_of(with(found.compression));
    ranked_.push_back(std::move(timed));
  }

  /// Those of its compressors' costs, each once: "derived, recalled".
  std::string standing_of(const ByBucketAdvice& by_bucket) const {
    std::set<std::string> standings;
    for (const BucketAdvice& bucket : by_bucket.buckets) {
      for (const CompressorChoice& choice : overlapped_) {
        if (choice.spelling == bucket.scheme) standings.insert(choice.standing);
      }
    }
    return fmt::format("{}", fmt::join(standings, ", "));
  }

  void add_alternatives() {
    for (const auto& [name, compression] : baselines_) {
      if (name != "float32" && name != advice_.best_baseline) continue;
      for (const Alternative& alternative : alternatives_of(with(compression))) {
        TimedRow timed;
        timed.row.what = fmt::format("{}: {}", name, alternative.what);
        timed.row.kind = alternative.kind;
        timed.row.standing = alternative.standing;
        timed.row.changes = alternative.changes;
        timed.times = times_of(alternative.scenario);
        timed.batches = alternative.batches;
        instead_.push_back(std::move(timed));
      }
    }
  }

  std::vector<AdviceRow> compared(std::vector<TimedRow> timed) const {
    std::vector<AdviceRow> rows;
    for (TimedRow& one : timed) {
      AdviceRow& row = one.row;
      const auto speedup = [&](Seconds own, Seconds baseline) {
        return baseline / (own / one.batches);
      };
      row.time = one.times.here;
      row.comparable_time = one.times.here / one.batches;
      row.speedup = speedup(one.times.here, best_baseline_.here);
      row.speedup_low = row.speedup_high = row.speedup;
      for (std::size_t i = 0; i < one.times.corners.size(); ++i) {
        const double corner = speedup(one.times.corners[i], best_baseline_.corners[i]);
        row.speedup_low = std::min(row.speedup_low, corner);
        row.speedup_high = std::max(row.speedup_high, corner);
      }
      rows.push_back(std::move(row));
    }
    std::stable_sort(rows.begin(), rows.end(), [](const AdviceRow& a, const AdviceRow& b) {
      return a.comparable_time < b.comparable_time;
    });
    return rows;
  }

  void add_basis() {
    advice_.basis = question_.assumptions.basis;
    advice_.basis.emplace_back("the time of the casts themselves counts as nothing");
    if (advice_.costs_known) {
      advice_.basis.push_back("serial: " + std::string{kSerialBasis});
      advice_.basis.push_back("overlapped: " + std::string{kOverlappedBasis});
    }
    advice_.basis.emplace_back(
        "a batch twice as large takes twice as long; accumulation repeats the same backward pass "
        "and synchronises in the last");
    const auto& warnings = plain_.workload->warnings;
    advice_.warnings.insert(advice_.warnings.begin(), warnings.begin(), warnings.end());
  }

  const AdviceQuestion& question_;
  Scenario plain_;
  Advice advice_;
  CornerTimes best_baseline_;
  std::vector<std::pair<std::string, Compression>> baselines_;
  std::vector<CompressorChoice> overlapped_;
  std::vector<TimedRow> ranked_;
  std::vector<TimedRow> instead_;
};

}  // namespace

std::optional<double> left_out_unseen(const std::string& compressor) {
  NamedScheme named = parse_named_scheme(compressor);
  if (named.name != "randomk") return std::nullopt;
  return 1.0 - named.parameters.number("fraction", 1.0, 0.0, 1.0);
}

const AdviceRow* Advice::best_compressor() const {
  for (const AdviceRow& row : ranked) {
    if (row.kind != AdviceKind::kBaseline && row.not_advised.empty()) return &row;
  }
  return nullptr;
}

const AdviceRow* Advice::best_single_compressor() const {
  for (const AdviceRow& row : ranked) {
    if (row.kind == AdviceKind::kCompressor && row.not_advised.empty()) return &row;
  }
  return nullptr;
}

const AdviceRow* Advice::faster_and_not_advised() const {
  for (const AdviceRow& row : ranked) {
    if (!row.not_advised.empty()) return &row;
    if (row.kind != AdviceKind::kBaseline) return nullptr;
  }
  return nullptr;
}

const AdviceRow* Advice::to_take() const {
  const AdviceRow* best = best_compressor();
  return best != nullptr && best->outcome() == Outcome::kWin ? best : nullptr;
}

int Advice::winners() const {
  std::set<std::string> found;
  for (const AdviceRow& row : ranked) {
    if (row.kind == AdviceKind::kCompressor && row.not_advised.empty() &&
        row.outcome() == Outcome::kWin) {
      found.insert(row.what);
    }
  }
  return static_cast<int>(found.size());
}

Advice give_advice(const AdviceQuestion& question) {
  check_scenario(question.scenario);
  if (question.scenario.workers == 1) {
    throw InputError(
        "workers: 1 found; one worker has nothing to synchronise, 2 or more are accepted");
  }
  if (question.scenario.compression.payload_factor != 1.0) {
    throw InputError(
        fmt::format("payload: {} times what schemes send found; advice is about what they do send, "
                    "1 is accepted",
                    question.scenario.compression.payload_factor));
  }
  for (const std::string& compressor : question.compressors) {
    if (parse_scheme(compressor)->cast_size()) {
      throw InputError(fmt::format(
          "--compressor: {} found; casts are ranked anyway, another compressor is accepted",
          compressor));
    }
  }
  return Adviser(question).advise();
}

}  // namespace gradwire
