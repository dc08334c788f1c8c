#include "simulator/questions/scorecard.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.hpp"
#include "compressors/spec/registry.hpp"
#include "simulator/questions/root_search.hpp"
#include "simulator/scenario/what_if.hpp"
#include "simulator/study/compressor_choice.hpp"
#include "simulator/study/estimator.hpp"

namespace gradwire {
namespace {

constexpr double kLargestRatio = 1e4;

Seconds backward_alone(const Scenario& scenario) {
  return scenario.workload->backward_span * slowest_factor(scenario);
}

/// `scenario` with serial compression that costs nothing but its exchange.
Scenario with_free(Scenario scenario, std::shared_ptr<const Scheme> scheme) {
  scenario.compression = {};
  scenario.compression.scheme = std::move(scheme);
  return scenario;
}

/// One scheme in one scenario.
class Score {
 public:
  Score(const ScoreQuestion& question, const std::string& spelling)
      : question_(question), spelling_(spelling), scheme_(parse_scheme(spelling)) {
    if (scheme_->cast_size()) {
      throw InputError(fmt::format("scorecard: {} found; a cast is no compressor", spelling));
    }
    const std::vector<TensorShape> shapes = tensor_shapes(question.scenario.workload);
    score_.scheme = scheme_->spelling();
    score_.all_reduced = carried_by_all_reduce(scheme_->transfers(shapes));
    score_.ratio = compression_ratio(*scheme_, shapes);
    score_.launches = scheme_->work(shapes, question.scenario.workers).launches();
    score_.gradients = static_cast<std::int64_t>(shapes.size());
  }

  SchemeScore take() {
    find_cost();
    find_budget();
    find_growth();
    find_hidden();
    return std::move(score_);
  }

 private:
  CompressorChoice choose(const Scenario& scenario, CompressionMode mode) const {
    GivenCost given;
    given.profile = question_.profile;
    return choose_compressor(spelling_, scenario, question_.device, mode, given);
  }

  void find_cost() {
    if (!question_.profile && find_cost_profile(question_.device) == nullptr) return;
    try {
      const CompressorChoice choice = choose(question_.scenario, CompressionMode::kSerial);
      score_.codec = choice.compression.encode + choice.compression.decode;
      score_.standing = choice.standing;
      decode_ = choice.compression.decode;
    } catch (const InputError& error) {  // a profile of figures alone has none of this one
      score_.why_no_cost = error.what();
    }
  }

  void find_budget() {
    const CornerTimes free =
        corner_times(with_free(question_.scenario, scheme_), question_.assumptions);
    score_.budget = question_.baseline.here - free.here;
    score_.budget_low = score_.budget_high = score_.budget;
    for (std::size_t i = 0; i < free.corners.size(); ++i) {
      const Seconds budget = question_.baseline.corners[i] - free.corners[i];
      score_.budget_low = std::min(score_.budget_low, budget);
      score_.budget_high = std::max(score_.budget_high, budget);
    }
  }

  Seconds exchange(const Scenario& scenario) const {
    return quickest_time(with_free(scenario, scheme_)) - backward_alone(scenario);
  }

  void find_growth() {
    Scenario fewer = question_.scenario;
    score_.fewer_workers = std::max(8, 2 * fewer.cluster.gpus_per_node);
    if (fewer.workers <= score_.fewer_workers || !fewer.compute_factors.empty()) return;
    score_.workers_growth = static_cast<double>(fewer.workers) / score_.fewer_workers;
    fewer.workers = score_.fewer_workers;
    fewer.ring_order.clear();
    Seconds many = exchange(question_.scenario);
    Seconds few = exchange(fewer);
    if (score_.codec) {
      many += decode_;
      few += choose(fewer, CompressionMode::kSerial).compression.decode;
    }
    score_.growth = many / few;
  }

  void find_hidden() {
    if (!score_.codec || !rank_factors(question_.scenario).empty()) return;
    Scenario scenario = question_.scenario;
    scenario.compression = choose(scenario, CompressionMode::kOverlapped).compression;
    Seconds alone{0};
    for (const BucketCost& bucket : scenario.compression.buckets) {
      alone += bucket.encode.alone() + bucket.between.alone() + bucket.decode.alone();
    }
    if (alone <= Seconds{0}) return;
    const Seconds with_costs = quickest_time(scenario);
    for (BucketCost& bucket : scenario.compression.buckets) bucket = {};
    score_.hidden = 1.0 - (with_costs - quickest_time(scenario)) / alone;
  }

  const ScoreQuestion& question_;
  const std::string& spelling_;
  std::shared_ptr<const Scheme> scheme_;
  Seconds decode_{0};
  SchemeScore score_;
};

}  // namespace

std::optional<bool> SchemeScore::is_under_budget() const {
  if (!codec) return std::nullopt;
  return *codec < budget;
}

std::optional<bool> SchemeScore::scales() const {
  if (!growth) return std::nullopt;
  return *growth - 1.0 < (workers_growth - 1.0) / 2.0;
}

std::optional<bool> SchemeScore::hides() const {
  if (!hidden) return std::nullopt;
  return *hidden >= 0.5;
}

bool SchemeScore::is_sufficient_and_not_more() const {
  return needed_ratio && ratio >= *needed_ratio && ratio <= kAmpleRatio * *needed_ratio;
}

int SchemeScore::yes() const {
  return int{all_reduced} + int{is_under_budget().value_or(false)} + int{scales().value_or(false)} +
         int{hides().value_or(false)} + int{is_sufficient_and_not_more()} + int{launches_little()};
}

std::optional<double> needed_ratio(const Scenario& scenario) {
  Scenario without = scenario;
  without.compression = {};
  const auto room = [&](double ratio) {
    const Scenario less = with_payload(without, 1.0 / ratio);
    return backward_alone(less) / quickest_time(less) - kNearLinear;
  };
  const SignSearch found = find_sign_changes(room, {1.0, kLargestRatio, 33, 1e-4});
  if (found.value_low >= 0.0) return 1.0;
  if (found.changes.empty()) return std::nullopt;
  return found.changes.front().at;
}

std::vector<SchemeScore> make_scorecard(const ScoreQuestion& question,
                                        const std::vector<std::string>& compressors) {
  GW_CHECK(question.scenario.workers > 1, "one worker has nothing to compress");
  const std::optional<double> needed = needed_ratio(question.scenario);
  std::vector<SchemeScore> scores;
  for (const std::string& compressor : compressors) {
    scores.push_back(Score(question, compressor).take());
    scores.back().needed_ratio = needed;
  }
  return scores;
}

}  // namespace gradwire
