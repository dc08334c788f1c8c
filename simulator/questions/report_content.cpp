#include "simulator/questions/report_content.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/errors.hpp"
#include "base/unit_text.hpp"
#include "compressors/spec/registry.hpp"
#include "simulator/scenario/contention.hpp"
#include "simulator/scenario/what_if.hpp"
#include "simulator/study/cell_evaluator.hpp"

namespace gradwire {
namespace {

// What readers ask about first; only the default choice of a cell knows them.
constexpr double kLikelyWorkers = 64.0;
constexpr double kLikelyBandwidth = 10e9;
constexpr std::string_view kLikelyScheme = "powersgd:rank=4";

constexpr std::size_t kBandwidths = 16;
constexpr std::size_t kComputes = 11;
constexpr std::size_t kRatios = 24;

/// `count` values from `low` to `high` at equal ratios, rounded to what a reader can say.
std::vector<double> spaced(double low, double high, std::size_t count) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(count - 1);
    const double value = low * std::pow(high / low, share);
    const double unit = std::pow(10.0, std::floor(std::log10(value)) - 1.0);
    values.push_back(std::round(value / unit) * unit);
  }
  return values;
}

/// `values` with `own` among them, ascending.
std::vector<double> with_own(std::vector<double> values, double own) {
  const auto near = std::find_if(values.begin(), values.end(), [&](double value) {
    return std::abs(value / own - 1.0) < 0.04;  // less than half a step
  });
  if (near != values.end()) {
    *near = own;
  } else {
    values.insert(std::upper_bound(values.begin(), values.end(), own), own);
  }
  return values;
}

using Likeliness = std::tuple<bool, bool, bool, double, double, bool>;

/// Smaller is likelier.
Likeliness likeliness(const StudyRow& row) {
  const CellKey& key = row.key;
  const bool asks_what_if = key.compute_speedup != 1.0 || !key.what_if.empty() ||
                            key.payload_factor() != 1.0 || key.encode_divisor != 1.0;
  return {!row.compressor,
          asks_what_if,
          key.mode != CompressionMode::kSerial,
          std::abs(std::log(key.workers / kLikelyWorkers)),
          std::abs(std::log(key.bandwidth.count() / kLikelyBandwidth)),
          !key.compressor.starts_with(kLikelyScheme)};
}

/// Computes the content around one row.
class ContentMaker {
 public:
  ContentMaker(const StudySpec& spec, const StudyOutcome& outcome, const CellKey& chosen,
               ReportContent& content)
      : grid_(spec.grids[chosen.grid]),
        evaluator_(spec, outcome.workloads),
        chosen_(chosen),
        spec_(spec),
        content_(content) {}

  void make() {
    content_.why_no_sweeps = why_no_sweeps();
    if (content_.why_no_sweeps.empty()) {
      for (const double value :
           with_own(spaced(1e9, 40e9, kBandwidths), chosen_.bandwidth.count())) {
        content_.bandwidths.emplace_back(value);
      }
      content_.computes = with_own(spaced(0.25, 8.0, kComputes), 1.0);
      content_.ratios = spaced(1.0, 2000.0, kRatios);
    }
    for (const std::size_t workload : grid_.workloads) add_workload(workload);
    add_timelines();
  }

 private:
  CellKey key_of(std::size_t workload, const std::string& compressor) const {
    CellKey key = chosen_;
    key.workload = workload;
    key.compressor = compressor;
    return key;
  }

  /// The cell with `key`'s workload and compressor and the chosen one's place on all other axes.
  std::size_t cell_of(const CellKey& key) const {
    const std::size_t first = first_cell_of(spec_, chosen_.grid);
    std::size_t cell = chosen_.cell - first;
    const auto move = [&](const GridAxis& axis, auto begin, auto end, const auto& value) {
      const auto position = static_cast<std::size_t>(std::find(begin, end, value) - begin);
      cell += (position - axis.position(cell)) * axis.stride;
    };
    for (const GridAxis& axis : axes_of(grid_)) {
      if (axis.name == std::string_view{"workload"}) {
        move(axis, grid_.workloads.begin(), grid_.workloads.end(), key.workload);
      } else if (axis.name == std::string_view{"compressor"}) {
        move(axis, grid_.compressors.begin(), grid_.compressors.end(), key.compressor);
      }
    }
    return first + cell;
  }

  std::string why_no_sweeps() {
    if (is_contended(grid_)) {
      return "the cell's network is shared with others, so that every value of a sweep would be a "
             "simulation";
    }
    for (const std::size_t workload : grid_.workloads) {
      for (const std::string& compressor : grid_.compressors) {
        if (links_are_shared(evaluator_.scenario_of(key_of(workload, compressor)))) {
          return fmt::format(
              "messages of {} share links, so that every value of a sweep would be "
              "a simulation",
              label_of(spec_, compressor));
        }
      }
    }
    return {};
  }

  void add_workload(std::size_t workload) {
    const bool sweeps = content_.why_no_sweeps.empty();
    Scenario without = evaluator_.scenario_of(key_of(workload, "none"));
    without.compression = {};
    if (sweeps) {
      add_sweep(workload, "none", without);
      Scenario half = without;
      half.compression.scheme = parse_scheme("fp16");
      add_sweep(workload, "fp16", half);
    }
    std::vector<bool> has_boundary(2, false);
    for (const std::string& compressor : grid_.compressors) {
      if (compressor == "none") continue;
      const CellKey key = key_of(workload, compressor);
      const Scenario scenario = evaluator_.scenario_of(key);
      ReportPoint point = point_of(key, scenario);
      if (sweeps) {
        if (compressor != "fp16") complete(key, scenario, without, point);
        const bool serial = scenario.compression.mode == CompressionMode::kSerial;
        if (serial && !is_cast(scenario) && !has_boundary[point.all_reduced ? 1 : 0]) {
          has_boundary[point.all_reduced ? 1 : 0] = true;
          add_boundary(key, scenario, without, point);
        }
      }
      content_.points.push_back(std::move(point));
    }
  }

  static bool is_cast(const Scenario& scenario) {
    return scenario.compression.scheme->cast_size().has_value();
  }

  ReportPoint point_of(const CellKey& key, const Scenario& scenario) {
    const std::vector<Transfer> transfers =
        scenario.compression.scheme->transfers(tensor_shapes(scenario.workload));
    ReportPoint point;
    point.workload = key.workload;
    point.cell = cell_of(key);
    point.payload = scenario.workload->total_bytes();
    point.wire = Bytes{
        std::llround(static_cast<double>(wire_bytes(transfers).count()) * key.payload_factor())};
    point.encode = scenario.compression.encode;
    point.decode = scenario.compression.decode;
    point.all_reduced = carried_by_all_reduce(transfers);
    return point;
  }

  /// The point's break-evens, and its sweep with what that tells of budgets.
  void complete(const CellKey& key, const Scenario& scenario, const Scenario& without,
                ReportPoint& point) {
    const BreakEvenQuestion question{
        .scenario = scenario, .baseline = nullptr, .compression_at = {}};
    for (const BreakEvenUnknown unknown :
         {BreakEvenUnknown::kBandwidth, BreakEvenUnknown::kCodec, BreakEvenUnknown::kCompute}) {
      if (why_unanswerable(question, unknown, BreakEvenGoal::kFaster)) continue;
      point.pays.push_back(find_break_even(question, unknown, BreakEvenGoal::kFaster,
                                           default_range(unknown, scenario)));
    }
    add_sweep(key.workload, key.compressor, scenario);
    if (scenario.compression.mode != CompressionMode::kSerial || is_cast(scenario)) return;
    for (const BitsPerSecond bandwidth : content_.bandwidths) {
      Scenario here = without;
      here.cluster.nic.bandwidth = bandwidth;
      const Seconds before = recurrence_time(here);
      here.compression = scenario.compression;
      point.budgets.push_back(before - free_codec_time(std::move(here)));
    }
  }

  /// With encode and decode that take nothing.
  static Seconds free_codec_time(Scenario scenario) {
    scenario.compression.encode = scenario.compression.decode = Seconds{0};
    return recurrence_time(scenario);
  }

  void add_sweep(std::size_t workload, const std::string& compressor, const Scenario& scenario) {
    ReportSweep sweep{workload, compressor, {}};
    for (const double compute : content_.computes) {
      Scenario here = with_faster_compute(scenario, compute);
      for (const BitsPerSecond bandwidth : content_.bandwidths) {
        here.cluster.nic.bandwidth = bandwidth;
        sweep.times.push_back(recurrence_time(here));
      }
    }
    content_.sweeps.push_back(std::move(sweep));
  }

  void add_boundary(const CellKey& key, const Scenario& scenario, const Scenario& without,
                    const ReportPoint& point) {
    const Seconds before = recurrence_time(without);
    const double own =
        static_cast<double>(point.payload.count()) / static_cast<double>(point.wire.count());
    RatioBoundary boundary{key.workload, key.compressor, point.all_reduced, {}};
    for (const double ratio : content_.ratios) {
      boundary.budgets.push_back(before - free_codec_time(with_payload(scenario, own / ratio)));
    }
    content_.boundaries.push_back(std::move(boundary));
  }

  void add_timelines() {
    const Estimator estimator = grid_.estimators.front();
    Scenario without = evaluator_.scenario_of(key_of(chosen_.workload, "none"));
    without.compression = {};
    add_timeline("none", without, estimator);
    for (const std::string& compressor : grid_.compressors) {
      if (compressor == "none") continue;
      add_timeline(compressor, evaluator_.scenario_of(key_of(chosen_.workload, compressor)),
                   estimator);
    }
  }

  void add_timeline(const std::string& compressor, const Scenario& scenario, Estimator wanted) {
    Estimator estimator = wanted;
    if (!can_answer(estimator, scenario) || estimator == Estimator::kFormula) {
      estimator = can_answer(Estimator::kRecurrence, scenario) ? Estimator::kRecurrence
                                                               : Estimator::kSimgrid;
    }
    IterationResult result = estimate(scenario, estimator, {simgrid_settings(grid_), {}});
    content_.timelines.push_back(
        {compressor, std::move(result.estimator), std::move(result.timeline)});
  }

  const GridSpec& grid_;
  CellEvaluator evaluator_;
  CellKey chosen_;
  const StudySpec& spec_;
  ReportContent& content_;
};

}  // namespace

std::optional<std::size_t> likely_cell(const std::vector<StudyRow>& rows) {
  const StudyRow* likely = nullptr;
  for (const StudyRow& row : rows) {
    if (!row.has_answer()) continue;
    if (likely == nullptr || likeliness(row) < likeliness(*likely)) likely = &row;
  }
  if (likely == nullptr) return std::nullopt;
  return likely->key.cell;
}

ReportContent make_report_content(const StudySpec& spec, const StudyOutcome& outcome,
                                  std::optional<std::size_t> chosen) {
  ReportContent content;
  content.chosen = chosen ? chosen : likely_cell(outcome.rows);
  if (!content.chosen) return content;
  const auto row = std::find_if(outcome.rows.begin(), outcome.rows.end(), [&](const StudyRow& one) {
    return one.key.cell == *content.chosen;
  });
  if (*content.chosen >= outcome.cells) {
    throw InputError(fmt::format("cell {} found; the study has the cells 0 to {}", *content.chosen,
                                 outcome.cells - 1));
  }
  if (row == outcome.rows.end() || !row->has_answer()) {
    throw InputError(
        fmt::format("cell {} has no answer; one that has is accepted", *content.chosen));
  }
  ContentMaker(spec, outcome, row->key, content).make();
  return content;
}

}  // namespace gradwire
