#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "simulator/report/csv_writer.hpp"
#include "simulator/report/study_report.hpp"

namespace gradwire {
namespace {

/// A column of numbers; empty where the row has none.
struct Column {
  std::string name;
  std::function<std::optional<double>(const StudyRow&)> value;
};

std::optional<double> seconds(std::optional<Seconds> time) {
  return time ? std::optional<double>(time->count()) : std::nullopt;
}

/// A column that a failed cell has nothing in.
Column of_row(std::string name, const std::function<std::optional<double>(const StudyRow&)>& get) {
  return {std::move(name),
          [get](const StudyRow& row) { return row.has_answer() ? get(row) : std::nullopt; }};
}

Column of_part(std::string name, Seconds Breakdown::*part) {
  return of_row(std::move(name),
                [part](const StudyRow& row) { return seconds(row.breakdown.*part); });
}

Column of_verdict(std::string name, const std::string& baseline,
                  const std::function<std::optional<double>(const Verdict&)>& get) {
  return {std::move(name), [baseline, get](const StudyRow& row) -> std::optional<double> {
            for (const Verdict& verdict : row.verdicts) {
              if (verdict.baseline == baseline) return get(verdict);
            }
            return std::nullopt;
          }};
}

/// Every estimator of the study; a grid that does not ask one has nothing in its column.
void add_answers(const StudySpec& spec, std::vector<Column>& columns) {
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

void add_overlap(std::vector<Column>& columns) {
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

std::vector<Column> number_columns(const StudySpec& spec) {
  std::vector<Column> columns;
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
  return columns;
}

std::string_view mode_of(const RowCompressor& compressor) {
  return name_of(compressor.overlapped ? CompressionMode::kOverlapped : CompressionMode::kSerial);
}

}  // namespace

void write_study_csv(const StudySpec& spec, const StudyOutcome& outcome, std::ostream& out) {
  const std::vector<Column> columns = number_columns(spec);
  std::vector<std::string> names = {"grid",
                                    "workload",
                                    "cluster",
                                    "workers",
                                    "bandwidth_bits_per_s",
                                    "nic_latency_s",
                                    "compute_standing",
                                    "compute_speedup_factor",
                                    "what_if",
                                    "compressor",
                                    "encode_divisor_factor",
                                    "payload_factor",
                                    "mode",
                                    "encode_standing"};
  for (const Column& column : columns) names.push_back(column.name);
  names.emplace_back("failure");
  CsvWriter csv(out, names);
  for (const StudyRow& row : outcome.rows) {
    const GridSpec& grid = spec.grids[row.key.grid];
    csv.cell(grid.name).cell(spec.workloads[row.key.workload].name).cell(grid.cluster.name);
    csv.cell(row.key.workers).cell(row.key.bandwidth.count()).cell(row.key.latency.count());
    csv.cell(compute_standing(outcome, row))
        .cell(row.key.compute_speedup)
        .cell(row.key.what_if)
        .cell(row.key.compressor)
        .cell(row.key.encode_divisor);
    csv.cell(row.key.payload_factor())
        .cell(row.compressor ? mode_of(*row.compressor) : std::string_view{})
        .cell(row.compressor ? row.compressor->standing : std::string{});
    for (const Column& column : columns) csv.cell(column.value(row));
    csv.cell(row.failure);
    csv.end_row();
  }
}

}  // namespace gradwire
