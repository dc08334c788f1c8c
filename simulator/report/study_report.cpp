#include "simulator/report/study_report.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>

#include "base/unit_text.hpp"
#include "simulator/report/answer_text.hpp"
#include "simulator/report/text_table.hpp"

namespace gradwire {
namespace {

const StudyRow* find_row(const StudyOutcome& outcome, const std::string& trace, int workers,
                         BitsPerSecond bandwidth, Seconds latency, const std::string& compressor) {
  const auto found =
      std::find_if(outcome.rows.begin(), outcome.rows.end(), [&](const StudyRow& row) {
        return row.trace == trace && row.workers == workers && row.bandwidth == bandwidth &&
               row.latency == latency && row.compressor == compressor;
      });
  return found == outcome.rows.end() ? nullptr : &*found;
}

/// Times without a compressor, or with the only one: workers x bandwidths.
void write_table(const StudySpec& spec, const StudyOutcome& outcome, const std::string& trace,
                 Seconds latency, std::ostream& out) {
  const std::string& compressor = spec.compressors.front();
  std::vector<TextTable::Column> columns = {{"workers"}};
  for (const BitsPerSecond bandwidth : spec.bandwidths) {
    columns.push_back({format_bandwidth(bandwidth)});
  }
  TextTable table(columns);
  for (const int workers : spec.workers) {
    std::vector<std::string> cells = {std::to_string(workers)};
    for (const BitsPerSecond bandwidth : spec.bandwidths) {
      const StudyRow* row = find_row(outcome, trace, workers, bandwidth, latency, compressor);
      cells.push_back(row == nullptr || row->results.empty()
                          ? "-"
                          : fmt::format("{:.1f}", row->results[0].backward_sync.count() * 1e3));
    }
    table.add_row(std::move(cells));
  }
  fmt::print(out,
             "{}, compressor {}, {} a message between nodes: backward plus synchronisation, ms, "
             "by {}\n{}\n",
             trace, compressor, format_duration(latency), name_of(spec.estimators.front()),
             table.text());
}

/// How often compressed cells win, tie and lose against one baseline.
void write_count(const StudyOutcome& outcome, const std::string& baseline, std::ostream& out) {
  int wins = 0;
  int ties = 0;
  int losses = 0;
  const StudyRow* best = nullptr;
  double best_speedup = 0.0;
  for (const StudyRow& row : outcome.rows) {
    for (const Verdict& verdict : row.verdicts) {
      if (verdict.baseline != baseline) continue;
      ++(verdict.is_tie() ? ties : verdict.speedup > 1.0 ? wins : losses);
      if (verdict.speedup <= best_speedup) continue;
      best_speedup = verdict.speedup;
      best = &row;
    }
  }
  if (best == nullptr) return;
  fmt::print(out,
             "Against {}: {} of {} compressed cells win by more than {:.0f} %, {} tie, {} lose; "
             "best {:.2f} x: {}, {} workers at {}.\n",
             baseline, wins, wins + ties + losses, kTie * 100.0, ties, losses, best_speedup,
             best->compressor, best->workers, format_bandwidth(best->bandwidth));
}

/// Speed-ups over float32 and fp16: compressors x workers, for one network.
void write_speedups(const StudySpec& spec, const StudyOutcome& outcome, const std::string& trace,
                    BitsPerSecond bandwidth, Seconds latency, std::ostream& out) {
  std::vector<TextTable::Column> columns = {{"workers", TextTable::Align::kLeft}};
  for (const int workers : spec.workers) columns.push_back({std::to_string(workers)});
  TextTable table(columns);
  for (const std::string& compressor : spec.compressors) {
    if (compressor == "none") continue;
    std::vector<std::string> cells = {compressor};
    for (const int workers : spec.workers) {
      const StudyRow* row = find_row(outcome, trace, workers, bandwidth, latency, compressor);
      std::string cell;
      if (row != nullptr) {
        for (const Verdict& verdict : row->verdicts) {
          cell += fmt::format("{}{:.2f}", cell.empty() ? "" : " / ", verdict.speedup);
        }
      }
      cells.push_back(cell.empty() ? "-" : cell);
    }
    table.add_row(std::move(cells));
  }
  fmt::print(out, "{} at {}, {} a message: times faster than float32 / than fp16\n{}\n", trace,
             format_bandwidth(bandwidth), format_duration(latency), table.text());
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
  const std::string& compressor = spec.compressors.front();
  for (const Workload& workload : outcome.workloads) {
    fmt::print(out, "{}, compressor {}:\n", workload.name, compressor);
    for (const BitsPerSecond bandwidth : telling_bandwidths(spec)) {
      const StudyRow* row =
          find_row(outcome, workload.name, workers, bandwidth, spec.latencies.front(), compressor);
      if (row == nullptr || row->results.empty()) continue;
      const IterationResult& result = row->results.front();
      fmt::print(out, "  {}\n    {}\n", answer_sentence(workers, bandwidth, result),
                 reason_sentence(result));
      const std::string room = row->choice ? std::string{} : room_sentence(result);
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
  write_count(outcome, "float32", out);
  write_count(outcome, "fp16", out);
  for (const std::string& sentence : outcome.basis) fmt::print(out, "Assumed: {}\n", sentence);
  for (const std::string& warning : outcome.warnings) fmt::print(out, "Warning: {}\n", warning);
  for (const StudyRow& row : outcome.rows) {
    if (row.failure.empty()) continue;
    fmt::print(out, "Failed: {}, {} workers at {}: {}\n", row.trace, row.workers,
               format_bandwidth(row.bandwidth), row.failure);
  }
}

}  // namespace

void write_study_text(const StudySpec& spec, const StudyOutcome& outcome, std::ostream& out) {
  write_plain_answer(spec, outcome, out);
  out << '\n';
  for (const Workload& workload : outcome.workloads) {
    for (const Seconds latency : spec.latencies) {
      write_table(spec, outcome, workload.name, latency, out);
      if (spec.compressors.size() == 1) continue;
      for (const BitsPerSecond bandwidth : spec.bandwidths) {
        write_speedups(spec, outcome, workload.name, bandwidth, latency, out);
      }
    }
  }
  write_closing(spec, outcome, out);
}

}  // namespace gradwire
