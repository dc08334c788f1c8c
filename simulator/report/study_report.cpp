#include "simulator/report/study_report.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>

#include "base/unit_text.hpp"
#include "simulator/report/answer_text.hpp"
#include "simulator/report/csv_writer.hpp"
#include "simulator/report/text_table.hpp"

namespace gradwire {
namespace {

const StudyRow* find_row(const StudyOutcome& outcome, const std::string& trace, int workers,
                         BitsPerSecond bandwidth, Seconds latency) {
  const auto found =
      std::find_if(outcome.rows.begin(), outcome.rows.end(), [&](const StudyRow& row) {
        return row.trace == trace && row.workers == workers && row.bandwidth == bandwidth &&
               row.latency == latency;
      });
  return found == outcome.rows.end() ? nullptr : &*found;
}

void write_table(const StudySpec& spec, const StudyOutcome& outcome, const std::string& trace,
                 Seconds latency, std::ostream& out) {
  std::vector<TextTable::Column> columns = {{"workers"}};
  for (const BitsPerSecond bandwidth : spec.bandwidths) {
    columns.push_back({format_bandwidth(bandwidth)});
  }
  TextTable table(columns);
  for (const int workers : spec.workers) {
    std::vector<std::string> cells = {std::to_string(workers)};
    for (const BitsPerSecond bandwidth : spec.bandwidths) {
      const StudyRow* row = find_row(outcome, trace, workers, bandwidth, latency);
      cells.push_back(row == nullptr || row->results.empty()
                          ? "-"
                          : fmt::format("{:.1f}", row->results[0].backward_sync.count() * 1e3));
    }
    table.add_row(std::move(cells));
  }
  fmt::print(out, "{}, {} a message between nodes: backward plus synchronisation, ms, by {}\n{}\n",
             trace, format_duration(latency), name_of(spec.estimators.front()), table.text());
}

/// Up to three networks that a reader wants first: the slowest, the cluster's own, the fastest.
std::vector<BitsPerSecond> telling_bandwidths(const StudySpec& spec) {
  std::vector<BitsPerSecond> chosen = {
      *std::min_element(spec.bandwidths.begin(), spec.bandwidths.end()), spec.cluster.nic.bandwidth,
      *std::max_element(spec.bandwidths.begin(), spec.bandwidths.end())};
  if (std::find(spec.bandwidths.begin(), spec.bandwidths.end(), chosen[1]) ==
      spec.bandwidths.end()) {
    chosen.erase(chosen.begin() + 1);
  }
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

void write_plain_answer(const StudySpec& spec, const StudyOutcome& outcome, std::ostream& out) {
  const int workers = *std::max_element(spec.workers.begin(), spec.workers.end());
  for (const Workload& workload : outcome.workloads) {
    fmt::print(out, "{} without compression:\n", workload.name);
    for (const BitsPerSecond bandwidth : telling_bandwidths(spec)) {
      const StudyRow* row =
          find_row(outcome, workload.name, workers, bandwidth, spec.latencies.front());
      if (row == nullptr || row->results.empty()) continue;
      const IterationResult& result = row->results.front();
      fmt::print(out, "  {}\n    {}\n", answer_sentence(workers, bandwidth, result),
                 reason_sentence(result));
      const std::string room = room_sentence(result);
      if (!room.empty()) fmt::print(out, "    {}\n", room);
      fmt::print(out,
                 "    Between {} and {} inside the bands below; scaling efficiency {:.1f} %.\n",
                 format_duration(row->band.low), format_duration(row->band.high),
                 row->scaling_efficiency * 100.0);
    }
  }
}

void write_closing(const StudySpec& spec, const StudyOutcome& outcome, std::ostream& out) {
  if (spec.estimators.size() > 1) {
    fmt::print(out, "{} cells; the estimators are at most {:.4f} % apart.\n", outcome.rows.size(),
               outcome.largest_disagreement * 100.0);
  } else {
    fmt::print(out, "{} cells.\n", outcome.rows.size());
  }
  for (const std::string& sentence : outcome.basis) fmt::print(out, "Assumed: {}\n", sentence);
  for (const std::string& warning : outcome.warnings) fmt::print(out, "Warning: {}\n", warning);
  for (const StudyRow& row : outcome.rows) {
    if (row.failure.empty()) continue;
    fmt::print(out, "Failed: {}, {} workers at {}: {}\n", row.trace, row.workers,
               format_bandwidth(row.bandwidth), row.failure);
  }
}

std::vector<std::string> csv_columns(const StudySpec& spec) {
  std::vector<std::string> columns = {"trace",         "cluster",
                                      "workers",       "bandwidth_bits_per_s",
                                      "nic_latency_s", "overlap_slowdown_factor"};
  for (const Estimator estimator : spec.estimators) {
    columns.push_back(fmt::format("{}_backward_sync_s", name_of(estimator)));
  }
  for (const char* name : {"iteration_s", "compute_s", "overlap_slowdown_s", "exposed_bandwidth_s",
                           "exposed_latency_s", "waiting_for_ranks_s", "assumption_band_low_s",
                           "assumption_band_high_s", "scaling_efficiency_ratio",
                           "study_formula_outside_s", "study_formula_inside_s", "failure"}) {
    columns.emplace_back(name);
  }
  return columns;
}

void write_csv_row(const StudySpec& spec, const StudyRow& row, CsvWriter& csv) {
  csv.cell(row.trace).cell(spec.cluster.name).cell(row.workers).cell(row.bandwidth.count());
  csv.cell(row.latency.count()).cell(row.overlap_slowdown);
  if (row.results.empty()) {
    const std::size_t empty = spec.estimators.size() + 11;
    for (std::size_t i = 0; i < empty; ++i) csv.cell("");
  } else {
    for (const IterationResult& result : row.results) csv.cell(result.backward_sync.count());
    const IterationResult& main = row.results.front();
    const Breakdown& parts = main.breakdown;
    csv.cell(main.iteration ? std::optional<double>(main.iteration->count()) : std::nullopt);
    csv.cell(parts.compute.count()).cell(parts.overlap_slowdown.count());
    csv.cell(parts.exposed_bandwidth.count()).cell(parts.exposed_latency.count());
    csv.cell(parts.waiting.count()).cell(row.band.low.count()).cell(row.band.high.count());
    csv.cell(row.scaling_efficiency);
    csv.cell(row.study_outside.count()).cell(row.study_inside.count());
  }
  csv.cell(row.failure);
  csv.end_row();
}

}  // namespace

void write_study_csv(const StudySpec& spec, const StudyOutcome& outcome, std::ostream& out) {
  CsvWriter csv(out, csv_columns(spec));
  for (const StudyRow& row : outcome.rows) write_csv_row(spec, row, csv);
}

void write_study_text(const StudySpec& spec, const StudyOutcome& outcome, std::ostream& out) {
  write_plain_answer(spec, outcome, out);
  out << '\n';
  for (const Workload& workload : outcome.workloads) {
    for (const Seconds latency : spec.latencies) {
      write_table(spec, outcome, workload.name, latency, out);
    }
  }
  write_closing(spec, outcome, out);
}

}  // namespace gradwire
