#include "simulator/questions/break_even.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "base/errors.hpp"
#include "compressors/cost/bucket_cost.hpp"
#include "simulator/questions/root_search.hpp"
#include "simulator/scenario/contention.hpp"
#include "simulator/scenario/what_if.hpp"
#include "simulator/study/estimator.hpp"
#include "simulator/workload/batch_scaling.hpp"

namespace gradwire {
namespace {

constexpr std::array<std::pair<BreakEvenUnknown, std::string_view>, 6> kNames = {{
    {BreakEvenUnknown::kBandwidth, "bandwidth"},
    {BreakEvenUnknown::kCodec, "codec"},
    {BreakEvenUnknown::kRatio, "ratio"},
    {BreakEvenUnknown::kBatch, "batch"},
    {BreakEvenUnknown::kWorkers, "workers"},
    {BreakEvenUnknown::kCompute, "compute"},
}};

/// Whole numbers up to this one are all looked at.
constexpr double kEachLookedAt = 256.0;

/// Two ways of adding up the same time differ by rounding; that is no gain.
constexpr double kRounding = 1e-9;

/// The compression of `scenario` with encode and decode taking `total` together, split between them
/// (and over buckets and kernels) as it has them; all encode where it has none.
Scenario with_codec_time(Scenario scenario, bool costs_known, Seconds total) {
  Compression& compression = scenario.compression;
  const Seconds own = compression.encode + compression.decode;
  if (costs_known && own > Seconds{0}) return with_cheaper_encode(std::move(scenario), own / total);
  compression.encode = total;
  compression.decode = Seconds{0};
  if (is_overlapped(scenario)) {
    compression.buckets =
        spread_by_elements(bucket_shapes(scenario.workload, scenario.caps), total, Seconds{0})
            .buckets;
  }
  return scenario;
}

/// `question`'s scenario, with its compressor, at a value of the unknown.
Scenario scenario_at(const BreakEvenQuestion& question, BreakEvenUnknown unknown, double value) {
  Scenario scenario = question.scenario;
  switch (unknown) {
    case BreakEvenUnknown::kBandwidth:
      scenario.cluster.nic.bandwidth = BitsPerSecond{value};
      return scenario;
    case BreakEvenUnknown::kCodec:
      return with_codec_time(std::move(scenario), question.costs_known, Seconds{value});
    case BreakEvenUnknown::kRatio:
      return scenario;  // the compressor stays: the ratio is that of another codec
    case BreakEvenUnknown::kBatch:
      scenario.workload = scale_to_batch(*scenario.workload, {.recorded = *scenario.workload->batch,
                                                              .wanted = std::llround(value)});
      return scenario;
    case BreakEvenUnknown::kWorkers:
      scenario.workers = static_cast<int>(std::lround(value));
      if (scenario.compression.scheme != nullptr && scenario.workers != question.scenario.workers) {
        scenario.compression = question.compression_at(scenario);
      }
      return scenario;
    case BreakEvenUnknown::kCompute:
      return with_faster_compute(std::move(scenario), value);
  }
  GW_CHECK(false, "an unknown without a case");
}

/// `scenario` without its compressor, as the baseline has it.
Scenario uncompressed(Scenario scenario, const BreakEvenQuestion& question,
                      BreakEvenUnknown unknown, double value) {
  scenario.compression = {};
  scenario.compression.scheme = question.baseline;
  if (unknown == BreakEvenUnknown::kRatio)
    scenario = with_payload(std::move(scenario), 1.0 / value);
  return scenario;
}

/// Whether a time of the search needs SimGrid; all have it then, so that like is compared with
/// like.
bool needs_simulation(const BreakEvenQuestion& question, BreakEvenUnknown unknown,
                      BreakEvenGoal goal, double value) {
  const Scenario scenario = scenario_at(question, unknown, value);
  if (links_are_shared(uncompressed(scenario, question, unknown, value))) return true;
  return goal != BreakEvenGoal::kEfficientUncompressed && links_are_shared(scenario);
}

Seconds time_of(const Scenario& scenario, bool by_simulation) {
  return by_simulation ? estimate(scenario, Estimator::kSimgrid).backward_sync
                       : recurrence_time(scenario);
}

double value_by(const BreakEvenQuestion& question, BreakEvenUnknown unknown, BreakEvenGoal goal,
                double value, bool by_simulation) {
  const Scenario scenario = scenario_at(question, unknown, value);
  const auto without = [&] {
    return time_of(uncompressed(scenario, question, unknown, value), by_simulation);
  };
  if (goal == BreakEvenGoal::kFaster) return without() / time_of(scenario, by_simulation);
  const Seconds alone = scenario.workload->backward_span * slowest_factor(scenario);
  return alone / (goal == BreakEvenGoal::kEfficient ? time_of(scenario, by_simulation) : without());
}

std::optional<double> own_value(const BreakEvenQuestion& question, BreakEvenUnknown unknown) {
  const Scenario& scenario = question.scenario;
  switch (unknown) {
    case BreakEvenUnknown::kBandwidth:
      return scenario.cluster.nic.bandwidth.count();
    case BreakEvenUnknown::kCodec:
      if (!question.costs_known) return std::nullopt;
      return (scenario.compression.encode + scenario.compression.decode).count();
    case BreakEvenUnknown::kBatch:
      return static_cast<double>(*scenario.workload->batch);
    case BreakEvenUnknown::kWorkers:
      return scenario.workers;
    case BreakEvenUnknown::kRatio:
    case BreakEvenUnknown::kCompute:
      return 1.0;
  }
  GW_CHECK(false, "an unknown without a case");
}

std::vector<BreakEvenInterval> intervals_of(const SignSearch& search, const BreakEvenRange& range,
                                            bool whole) {
  std::vector<BreakEvenInterval> intervals;
  std::optional<BreakEvenInterval> open;
  if (search.value_low >= 0.0) open = {range.low, 0.0, false, false};
  for (const SignChange& change : search.changes) {
    // A whole number changes half-way to the next.
    if (change.rising) {
      open = {whole ? std::floor(change.at) + 1.0 : change.at, 0.0, true, false};
    } else {
      open->to = whole ? std::floor(change.at) : change.at;
      open->to_is_root = true;
      intervals.push_back(*std::exchange(open, std::nullopt));
    }
  }
  if (open) {
    open->to = range.high;
    intervals.push_back(*open);
  }
  return intervals;
}

void check_range(BreakEvenUnknown unknown, const BreakEvenRange& range) {
  if (!std::isfinite(range.low) || !std::isfinite(range.high) || range.low <= 0.0 ||
      range.high <= range.low) {
    throw InputError(
        fmt::format("--from, --to: {} from {:.6g} to {:.6g} found; two numbers above 0, the second "
                    "the larger, are "
                    "accepted",
                    name_of(unknown), range.low, range.high));
  }
  if (is_whole(unknown) &&
      (range.low != std::floor(range.low) || range.high != std::floor(range.high))) {
    throw InputError(
        fmt::format("--from, --to: {} from {:.6g} to {:.6g} found; whole numbers are accepted",
                    name_of(unknown), range.low, range.high));
  }
}

void check_question(const BreakEvenQuestion& question, BreakEvenUnknown unknown,
                    BreakEvenGoal goal) {
  if (!(question.target_efficiency > 0.0 && question.target_efficiency < 1.0)) {
    throw InputError(
        fmt::format("--target-efficiency: {} found; a share above 0 and below 1 is accepted",
                    question.target_efficiency));
  }
  if (const auto reason = why_unanswerable(question, unknown, goal)) throw InputError(*reason);
}

std::optional<std::string> why_no_compressor_answers(const BreakEvenQuestion& question,
                                                     BreakEvenUnknown unknown) {
  const Compression& compression = question.scenario.compression;
  if (compression.scheme == nullptr) {
    return fmt::format("{}: no compressor found; one is needed", name_of(unknown));
  }
  if (unknown == BreakEvenUnknown::kCodec) {
    if (!compression.scheme->cast_size()) return std::nullopt;
    return "codec: a cast keeps DDP's overlap and its own time counts as nothing; other "
           "compressors have a budget";
  }
  if (!question.costs_known) {
    return "what encoding and decoding cost on this device is not known, so that only their budget "
           "can be found";
  }
  if (unknown == BreakEvenUnknown::kWorkers && !question.compression_at) {
    return "workers: what encoding and decoding cost for other workers is not known";
  }
  return std::nullopt;
}

}  // namespace

const std::vector<BreakEvenUnknown>& break_even_unknowns() {
  static const std::vector<BreakEvenUnknown> kUnknowns = [] {
    std::vector<BreakEvenUnknown> unknowns;
    for (const auto& [unknown, name] : kNames) unknowns.push_back(unknown);
    return unknowns;
  }();
  return kUnknowns;
}

std::string_view name_of(BreakEvenUnknown unknown) {
  for (const auto& [known, name] : kNames) {
    if (known == unknown) return name;
  }
  return "unknown";
}

BreakEvenUnknown break_even_unknown_from_name(std::string_view name) {
  for (const auto& [unknown, known] : kNames) {
    if (known == name) return unknown;
  }
  throw InputError(fmt::format(
      "--find: \"{}\" found; accepted: bandwidth, codec, ratio, batch, workers, compute", name));
}

bool is_whole(BreakEvenUnknown unknown) {
  return unknown == BreakEvenUnknown::kBatch || unknown == BreakEvenUnknown::kWorkers;
}

BreakEvenRange default_range(BreakEvenUnknown unknown, const Scenario& scenario) {
  switch (unknown) {
    case BreakEvenUnknown::kBandwidth:
      return {0.1e9, 400e9};
    case BreakEvenUnknown::kCodec:
      return {1e-6, 100.0};
    case BreakEvenUnknown::kRatio:
      return {1.0, 1e4};
    case BreakEvenUnknown::kBatch:
      return {1.0, 4096.0};
    case BreakEvenUnknown::kWorkers:
      return {2.0, static_cast<double>(scenario.cluster.gpus())};
    case BreakEvenUnknown::kCompute:
      return {0.1, 100.0};
  }
  GW_CHECK(false, "an unknown without a case");
}

std::optional<std::string> why_unanswerable(const BreakEvenQuestion& question,
                                            BreakEvenUnknown unknown, BreakEvenGoal goal) {
  const Scenario& scenario = question.scenario;
  if (unknown == BreakEvenUnknown::kRatio && goal != BreakEvenGoal::kEfficientUncompressed) {
    return "ratio: asked of a compressor; it is that of a codec that costs nothing, for an "
           "efficiency";
  }
  if (unknown == BreakEvenUnknown::kCodec && goal != BreakEvenGoal::kFaster) {
    return "codec: asked for an efficiency; it is a budget against the baseline";
  }
  if (goal != BreakEvenGoal::kEfficientUncompressed) {
    if (auto reason = why_no_compressor_answers(question, unknown)) return reason;
  }
  if (unknown == BreakEvenUnknown::kBatch && !scenario.workload->batch) {
    return "batch: the trace does not state the batch that its times belong to; give "
           "--recorded-batch";
  }
  if (unknown != BreakEvenUnknown::kWorkers) {
    if (scenario.workers > 1) return std::nullopt;
    return fmt::format("{}: one worker exchanges nothing; 2 or more are needed", name_of(unknown));
  }
  if (scenario.cluster.gpus() < 3)
    return "workers: the cluster has fewer than 3 GPUs to choose from";
  if (!scenario.ring_order.empty() || !scenario.compute_factors.empty()) {
    return "workers: the order of the ring or the ranks' speeds are given for one number of "
           "workers "
           "alone";
  }
  return std::nullopt;
}

bool BreakEven::holds_everywhere() const {
  return holds.size() == 1 && !holds.front().from_is_root && !holds.front().to_is_root;
}

bool BreakEven::holds_at(double value) const {
  return std::any_of(holds.begin(), holds.end(), [value](const BreakEvenInterval& interval) {
    return value >= interval.from && value <= interval.to;
  });
}

double value_at(const BreakEvenQuestion& question, BreakEvenUnknown unknown, BreakEvenGoal goal,
                double value) {
  check_question(question, unknown, goal);
  return value_by(question, unknown, goal, value, needs_simulation(question, unknown, goal, value));
}

BreakEven find_break_even(const BreakEvenQuestion& question, BreakEvenUnknown unknown,
                          BreakEvenGoal goal, const BreakEvenRange& range) {
  check_question(question, unknown, goal);
  check_range(unknown, range);
  const bool whole = is_whole(unknown);
  const bool simulated = needs_simulation(question, unknown, goal, range.high);
  const double least =
      goal == BreakEvenGoal::kFaster ? 1.0 + kRounding : question.target_efficiency;
  std::map<double, double> known;  // whole numbers are asked for again and again
  const auto value_of = [&](double at) {
    const double place = whole ? std::round(at) : at;
    auto found = known.find(place);
    if (found == known.end()) {
      found = known.emplace(place, value_by(question, unknown, goal, place, simulated)).first;
    }
    return found->second;
  };
  SearchRange search{range.low, range.high};
  if (simulated) search.samples = 17;
  if (simulated) search.precision = 1e-3;
  if (whole) search.precision = std::min(1e-6, 0.1 / range.high);
  if (whole && !simulated && range.high <= kEachLookedAt) {
    // The last step, the widest, stays below 1.
    search.samples = static_cast<int>(range.high * std::log(range.high / range.low)) + 2;
  }
  const SignSearch found =
      find_sign_changes([&](double at) { return value_of(at) / least - 1.0; }, search);
  BreakEven result{unknown,
                   goal,
                   question.target_efficiency,
                   range,
                   intervals_of(found, range, whole),
                   value_of(range.low),
                   value_of(range.high),
                   own_value(question, unknown),
                   0.0,
                   simulated};
  if (result.here) {
    // A codec that costs nothing is asked about as it is, not as a time to be split.
    result.value_here = unknown == BreakEvenUnknown::kCodec && *result.here == 0.0
                            ? value_by(question, BreakEvenUnknown::kCompute, goal, 1.0, simulated)
                            : value_of(*result.here);
  }
  return result;
}

}  // namespace gradwire
