#include "simulator/study/sensitivity.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "base/unit_text.hpp"
#include "compressors/spec/registry.hpp"
#include "simulator/formula/formula.hpp"
#include "simulator/scenario/what_if.hpp"
#include "simulator/study/estimator.hpp"

namespace gradwire {
namespace {

/// One cell's question as a recount may change it.
struct Question {
  CellKey key;
  Scenario scenario;  // with its compressor
  Assumptions assumptions;
};

using Change = std::function<void(Question&)>;
using BaselineTime = std::function<Seconds(const Scenario& uncompressed)>;

Seconds float32_time(const Scenario& uncompressed) { return recurrence_time(uncompressed); }

Seconds fp16_time(const Scenario& uncompressed) {
  Scenario cast = uncompressed;
  cast.compression.scheme = parse_scheme("fp16");
  return recurrence_time(cast);
}

class Recounter {
 public:
  Recounter(const SensitivitySpec& sensitivity, const StudySpec& spec, CellEvaluator& evaluator)
      : evaluator_(evaluator),
        baseline_(sensitivity.baseline == "fp16" ? fp16_time : float32_time) {
    const std::size_t first = first_cell_of(spec, sensitivity.grid);
    for (std::size_t i = 0; i < cell_count(spec.grids[sensitivity.grid]); ++i) {
      const CellKey key = cell_at(spec, first + i);
      if (key.compressor != "none" && key.compressor != sensitivity.baseline) keys_.push_back(key);
    }
  }

  /// With `change` made to every cell, and another time of the baseline when one is given.
  Recount count(std::string input, std::string value, const Change& change,
                const BaselineTime& baseline = {}) {
    Recount recount{std::move(input), std::move(value), 0, 0};
    for (const CellKey& key : keys_) {
      Question question{key, evaluator_.scenario_of(key), evaluator_.assumptions_of(key)};
      if (change) change(question);
      Scenario uncompressed = question.scenario;
      uncompressed.compression = {};
      const Seconds without = (baseline ? baseline : baseline_)(uncompressed);
      const double speedup = without / recurrence_time(question.scenario);
      ++recount.cells;
      recount.wins += outcome_at(speedup) == Outcome::kWin ? 1 : 0;
    }
    return recount;
  }

  /// The smallest factor up to `most` at which the share is at most `target`.
  TargetFactor find(std::string input, double target, double most,
                    const std::function<void(Question&, double)>& change) {
    constexpr double kPrecision = 1.01;
    const auto share_at = [&](double factor) {
      return count("", "", [&](Question& question) { change(question, factor); }).share();
    };
    TargetFactor result{std::move(input), std::nullopt, most, share_at(most)};
    if (result.share > target) return result;
    double low = 1.0;
    double high = most;
    while (high / low > kPrecision) {
      const double middle = std::sqrt(low * high);
      (share_at(middle) <= target ? high : low) = middle;
    }
    result.factor = high;
    result.share = share_at(high);
    return result;
  }

  CellEvaluator& evaluator() { return evaluator_; }

 private:
  CellEvaluator& evaluator_;
  BaselineTime baseline_;
  std::vector<CellKey> keys_;
};

void scale_compute(Question& question, double factor) {
  question.scenario = with_faster_compute(std::move(question.scenario), 1.0 / factor);
}

/// The compressor of a cell with other costs or parameters.
void choose_again(Question& question, CellEvaluator& evaluator, const std::string& compressor,
                  CostChoice costs) {
  question.scenario.compression = evaluator.compression_of(question.key, compressor, costs);
}

void add_assumption_recounts(Recounter& recounter, std::vector<Recount>& recounts) {
  const auto band = [&](const char* input, const char* low, const char* high, const auto& set) {
    recounts.push_back(recounter.count(input, low, [&](Question& q) { set(q, false); }));
    recounts.push_back(recounter.count(input, high, [&](Question& q) { set(q, true); }));
  };
  band("latency between nodes", "low end of its band", "high end of its band",
       [](Question& question, bool high) {
         question.scenario.cluster.nic.latency =
             high ? question.assumptions.latency_high : question.assumptions.latency_low;
       });
  band("length of the backward pass", "low end of its band", "high end of its band",
       [](Question& question, bool high) {
         scale_compute(question,
                       high ? question.assumptions.compute_high : question.assumptions.compute_low);
       });
  band("slow-down by overlap", "low end of its band", "high end of its band",
       [](Question& question, bool high) {
         question.scenario.overlap_slowdown =
             high ? question.assumptions.slowdown_high : question.assumptions.slowdown_low;
       });
}

void add_study_form_recounts(Recounter& recounter, std::vector<Recount>& recounts) {
  const auto form = [&](const char* value, LastBucket last, StudyBuckets buckets) {
    recounts.push_back(recounter.count(
        kOtherBaseline, value, {},
        [=](const Scenario& uncompressed) { return study_form(uncompressed, last, buckets); }));
  };
  form("the study's form, last bucket outside, real buckets", LastBucket::kOutside,
       StudyBuckets::kReal);
  form("the study's form, last bucket outside, equal buckets", LastBucket::kOutside,
       StudyBuckets::kEqual);
  form("the study's form, last bucket inside, real buckets", LastBucket::kInside,
       StudyBuckets::kReal);
  recounts.push_back(recounter.count(kOtherBaseline, "DDP with float16 gradients", {}, fp16_time));
}

void add_compressor_recounts(Recounter& recounter, std::vector<Recount>& recounts) {
  CellEvaluator& evaluator = recounter.evaluator();
  recounts.push_back(recounter.count("index width", "4 bytes", [&](Question& question) {
    std::string text = question.key.compressor;
    const std::string wide = "index_bytes=8";
    if (const std::size_t at = text.find(wide); at != std::string::npos) {
      choose_again(question, evaluator, text.replace(at, wide.size(), "index_bytes=4"),
                   CostChoice::kStandard);
    }
  }));
  recounts.push_back(recounter.count(
      "encode and decode", "the profile's alternative figures", [&](Question& question) {
        choose_again(question, evaluator, question.key.compressor, CostChoice::kAlternative);
      }));
  for (const double factor : {0.5, 2.0}) {
    recounts.push_back(recounter.count(
        "encode and decode", fmt::format("{} times as long", factor), [=](Question& question) {
          question.scenario = with_cheaper_encode(std::move(question.scenario), 1.0 / factor);
        }));
  }
}

void add_targets(Recounter& recounter, double target, std::vector<TargetFactor>& targets) {
  constexpr double kMost = 64.0;
  targets.push_back(recounter.find("bandwidth between nodes", target, kMost,
                                   [](Question& question, double factor) {
                                     LinkSpec& nic = question.scenario.cluster.nic;
                                     nic.bandwidth = nic.bandwidth * factor;
                                   }));
  targets.push_back(recounter.find(
      "encode and decode times", target, kMost, [](Question& question, double factor) {
        question.scenario = with_cheaper_encode(std::move(question.scenario), 1.0 / factor);
      }));
  targets.push_back(recounter.find("time of the backward pass", target, kMost, scale_compute));
}

}  // namespace

SensitivityResult measure_sensitivity(const SensitivitySpec& sensitivity, const StudySpec& spec,
                                      CellEvaluator& evaluator) {
  Recounter recounter(sensitivity, spec, evaluator);
  SensitivityResult result;
  result.spec = &sensitivity;
  result.here = recounter.count("every input", "as the grid has it", {});
  add_assumption_recounts(recounter, result.recounts);
  add_compressor_recounts(recounter, result.recounts);
  add_study_form_recounts(recounter, result.recounts);
  if (sensitivity.target_share) {
    add_targets(recounter, *sensitivity.target_share, result.targets);
  }
  return result;
}

}  // namespace gradwire
