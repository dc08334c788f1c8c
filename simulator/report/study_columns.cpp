#include "simulator/report/study_columns.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gradwire {
namespace {

std::optional<double> seconds(std::optional<Seconds> time) {
  return time ? std::optional<double>(time->count()) : std::nullopt;
}

/// A column that a failed cell has nothing in.
StudyColumn of_row(std::string name,
                   const std::function<std::optional<double>(const StudyRow&)>& get) {
  return {std::move(name),
          [get](const StudyRow& row) { return row.has_answer() ? get(row) : std::nullopt; },
          nullptr};
}

StudyColumn of_part(std::string name, Seconds Breakdown::*part) {
  return of_row(std::move(name),
                [part](const StudyRow& row) { return seconds(row.breakdown.*part); });
}

StudyColumn of_verdict(std::string name, const std::string& baseline,
                       const std::function<std::optional<double>(const Verdict&)>& get) {
  return {std::move(name),
          [baseline, get](const StudyRow& row) -> std::optional<double> {
            for (const Verdict& verdict : row.verdicts) {
              if (verdict.baseline == baseline) return get(verdict);
            }
            return std::nullopt;
          },
          nullptr};
}

/// Every estimator of the study; a grid that does not ask one has nothing in its column.
void add_answers(const StudySpec& spec, std::vector<StudyColumn>& columns) {
  for (const Estimator estimator :
       {Estimator::kSimgrid, Estimator::kRecurrence, Estimator::kFormula}) {
    columns.push_back(
        of_row(fmt::format("{}_backward_sync_s", name_of(estimator)),
               [&spec, estimator](const StudyRow& row) -> std::optional<double> {
                 const std::vector<Estimator>& asked = spec.grids[row.key.grid].estimators;
                 const auto found = std::find(asked.begin(), asked.end(), estimator);
                 if (found == asked.end()) return std::nullopt;
                 return seconds(row.answers[static_cast<std::size_t>(found - asked.begin())]);
               }));
  }
  columns.push_back(
      of_row("iteration_s", [](const StudyRow& row) { return seconds(row.iteration); }));
  columns.push_back(of_part("compute_s", &Breakdown::compute));
  columns.push_back(of_part("overlap_slowdown_s", &Breakdown::overlap_slowdown));
  columns.push_back(of_part("encode_s", &Breakdown::encode));
  columns.push_back(of_part("decode_s", &Breakdown::decode));
  columns.push_back(of_part("host_s", &Breakdown::host));
  columns.push_back(of_part("exposed_bandwidth_s", &Breakdown::exposed_bandwidth));
  columns.push_back(of_part("exposed_latency_s", &Breakdown::exposed_latency));
  columns.push_back(of_part("waiting_for_ranks_s", &Breakdown::waiting));
}

void add_overlap(std::vector<StudyColumn>& columns) {
  const auto add = [&](const char* name, Seconds OverlapLoss::*part) {
    columns.push_back(of_row(name, [part](const StudyRow& row) -> std::optional<double> {
      if (!row.overlap) return std::nullopt;
      return ((*row.overlap).*part).count();
    }));
  };
  add("serial_backward_sync_s", &OverlapLoss::serial);
  add("overlap_hidden_s", &OverlapLoss::hidden);
  add("overlap_host_s", &OverlapLoss::host);
  add("overlap_stream_order_s", &OverlapLoss::stream_order);
  add("overlap_device_share_s", &OverlapLoss::device_share);
}

StudyColumn of_text(std::string name, std::function<std::string(const StudyRow&)> text) {
  return {std::move(name), nullptr, std::move(text)};
}

/// A number that failed cells have too.
StudyColumn of_key(std::string name, const std::function<double(const CellKey&)>& get) {
  return {std::move(name), [get](const StudyRow& row) { return std::optional(get(row.key)); },
          nullptr};
}

/// Which cell it is, and what its compute and costs rest on.
void add_question(const StudySpec& spec, const StudyOutcome& outcome,
                  std::vector<StudyColumn>& columns) {
  const auto add = [&](StudyColumn column) { columns.push_back(std::move(column)); };
  add(of_text("grid", [&](const StudyRow& row) { return spec.grids[row.key.grid].name; }));
  add(of_text("workload",
              [&](const StudyRow& row) { return spec.workloads[row.key.workload].name; }));
  add(of_text("cluster",
              [&](const StudyRow& row) { return spec.grids[row.key.grid].cluster.name; }));
  add(of_key("workers", [](const CellKey& key) { return key.workers; }));
  add(of_key("bandwidth_bits_per_s", [](const CellKey& key) { return key.bandwidth.count(); }));
  add(of_key("nic_latency_s", [](const CellKey& key) { return key.latency.count(); }));
  add(of_text("compute_standing",
              [&](const StudyRow& row) { return compute_standing(outcome, row); }));
  add(of_key("compute_speedup_factor", [](const CellKey& key) { return key.compute_speedup; }));
  add(of_text("what_if", [](const StudyRow& row) { return row.key.what_if; }));
  add(of_text("shuffle_seed", [](const StudyRow& row) {
    return row.key.shuffle_seed ? std::to_string(*row.key.shuffle_seed) : std::string{};
  }));
  add(of_text("compressor", [](const StudyRow& row) { return row.key.compressor; }));
  add(of_key("encode_divisor_factor", [](const CellKey& key) { return key.encode_divisor; }));
  add(of_key("payload_factor", [](const CellKey& key) { return key.payload_factor(); }));
  add(of_text("mode", [](const StudyRow& row) {
    if (!row.compressor) return std::string{};
    return std::string{name_of(row.compressor->overlapped ? CompressionMode::kOverlapped
                                                          : CompressionMode::kSerial)};
  }));
  add(of_text("encode_standing", [](const StudyRow& row) {
    return row.compressor ? row.compressor->standing : std::string{};
  }));
}

}  // namespace

std::vector<StudyColumn> study_columns(const StudySpec& spec, const StudyOutcome& outcome) {
  std::vector<StudyColumn> columns;
  add_question(spec, outcome, columns);
  columns.push_back(of_row("wire_bytes", [](const StudyRow& row) -> std::optional<double> {
    if (!row.compressor) return std::nullopt;
    return static_cast<double>(row.compressor->wire_bytes.count());
  }));
  add_answers(spec, columns);
  columns.push_back(of_row("overlap_slowdown_factor", [](const StudyRow& row) {
    return std::optional(row.overlap_slowdown);
  }));
  columns.push_back(
      of_row("assumption_band_low_s", [](const StudyRow& row) { return seconds(row.band.low); }));
  columns.push_back(
      of_row("assumption_band_high_s", [](const StudyRow& row) { return seconds(row.band.high); }));
  columns.push_back(of_row("scaling_efficiency_ratio", [](const StudyRow& row) {
    return std::optional(row.scaling_efficiency);
  }));
  for (const std::string baseline : {"float32", "fp16"}) {
    columns.push_back(
        of_verdict(baseline + "_backward_sync_s", baseline,
                   [](const Verdict& verdict) { return verdict.baseline_time.count(); }));
    const std::string speedup = "speedup_over_" + baseline;
    columns.push_back(of_verdict(speedup + "_ratio", baseline,
                                 [](const Verdict& verdict) { return verdict.speedup; }));
    columns.push_back(of_verdict(speedup + "_low_ratio", baseline,
                                 [](const Verdict& verdict) { return verdict.speedup_low; }));
    columns.push_back(of_verdict(speedup + "_high_ratio", baseline,
                                 [](const Verdict& verdict) { return verdict.speedup_high; }));
    columns.push_back(of_verdict(speedup + "_uncontended_ratio", baseline,
                                 [](const Verdict& verdict) { return verdict.nominal_speedup; }));
  }
  add_overlap(columns);
  columns.push_back(of_row("study_formula_outside_s",
                           [](const StudyRow& row) { return seconds(row.study_outside); }));
  columns.push_back(of_row("study_formula_outside_distance_ratio", study_form_distance));
  columns.push_back(of_row("study_formula_inside_s",
                           [](const StudyRow& row) { return seconds(row.study_inside); }));
  columns.push_back(of_text("failure", [](const StudyRow& row) { return row.failure; }));
  return columns;
}

}  // namespace gradwire
