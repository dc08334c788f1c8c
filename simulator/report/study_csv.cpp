#include <fmt/format.h>

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

/// A column of the main answer; a failed cell has none.
Column of_main(std::string name,
               const std::function<std::optional<Seconds>(const IterationResult&)>& get) {
  return {std::move(name), [get](const StudyRow& row) {
            return row.results.empty() ? std::nullopt : seconds(get(row.results.front()));
          }};
}

Column of_part(std::string name, Seconds Breakdown::*part) {
  return of_main(std::move(name),
                 [part](const IterationResult& result) { return result.breakdown.*part; });
}

Column of_verdict(std::string name, const std::string& baseline,
                  const std::function<double(const Verdict&)>& get) {
  return {std::move(name), [baseline, get](const StudyRow& row) -> std::optional<double> {
            for (const Verdict& verdict : row.verdicts) {
              if (verdict.baseline == baseline) return get(verdict);
            }
            return std::nullopt;
          }};
}

void add_answers(const StudySpec& spec, std::vector<Column>& columns) {
  for (std::size_t i = 0; i < spec.estimators.size(); ++i) {
    columns.push_back({fmt::format("{}_backward_sync_s", name_of(spec.estimators[i])),
                       [i](const StudyRow& row) -> std::optional<double> {
                         if (row.results.empty()) return std::nullopt;
                         return row.results[i].backward_sync.count();
                       }});
  }
  columns.push_back(
      of_main("iteration_s", [](const IterationResult& result) { return result.iteration; }));
  columns.push_back(of_part("compute_s", &Breakdown::compute));
  columns.push_back(of_part("overlap_slowdown_s", &Breakdown::overlap_slowdown));
  columns.push_back(of_part("encode_s", &Breakdown::encode));
  columns.push_back(of_part("decode_s", &Breakdown::decode));
  columns.push_back(of_part("exposed_bandwidth_s", &Breakdown::exposed_bandwidth));
  columns.push_back(of_part("exposed_latency_s", &Breakdown::exposed_latency));
  columns.push_back(of_part("waiting_for_ranks_s", &Breakdown::waiting));
}

/// What is known of a row beside its main answer; empty for a failed cell.
Column of_row(std::string name, const std::function<std::optional<double>(const StudyRow&)>& get) {
  return {std::move(name),
          [get](const StudyRow& row) { return row.results.empty() ? std::nullopt : get(row); }};
}

std::vector<Column> number_columns(const StudySpec& spec) {
  std::vector<Column> columns;
  columns.push_back({"wire_bytes", [](const StudyRow& row) -> std::optional<double> {
                       if (!row.choice) return std::nullopt;
                       return static_cast<double>(row.choice->wire_bytes.count());
                     }});
  add_answers(spec, columns);
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
  }
  columns.push_back(of_row("study_formula_outside_s",
                           [](const StudyRow& row) { return seconds(row.study_outside); }));
  columns.push_back(of_row("study_formula_inside_s",
                           [](const StudyRow& row) { return seconds(row.study_inside); }));
  return columns;
}

}  // namespace

void write_study_csv(const StudySpec& spec, const StudyOutcome& outcome, std::ostream& out) {
  const std::vector<Column> columns = number_columns(spec);
  std::vector<std::string> names = {"trace",         "cluster",
                                    "workers",       "bandwidth_bits_per_s",
                                    "nic_latency_s", "overlap_slowdown_factor",
                                    "compressor",    "encode_standing"};
  for (const Column& column : columns) names.push_back(column.name);
  names.emplace_back("failure");
  CsvWriter csv(out, names);
  for (const StudyRow& row : outcome.rows) {
    csv.cell(row.trace).cell(spec.cluster.name).cell(row.workers).cell(row.bandwidth.count());
    csv.cell(row.latency.count()).cell(row.overlap_slowdown).cell(row.compressor);
    csv.cell(row.choice ? row.choice->standing : std::string{});
    for (const Column& column : columns) csv.cell(column.value(row));
    csv.cell(row.failure);
    csv.end_row();
  }
}

}  // namespace gradwire
