#include "simulator/report/study_tables.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>

#include "base/unit_text.hpp"
#include "simulator/report/answer_text.hpp"
#include "simulator/report/text_table.hpp"

namespace gradwire {
namespace {

/// The cells of one grid, by what stands on its axes.
class GridRows {
 public:
  GridRows(const StudyOutcome& outcome, std::size_t grid) {
    for (const StudyRow& row : outcome.rows) {
      if (row.key.grid == grid) rows_.push_back(&row);
    }
  }

  /// Null when the cell was not run or has no answer.
  const StudyRow* find(std::size_t workload, int workers, BitsPerSecond bandwidth, Seconds latency,
                       const std::string& compressor, const std::string& what_if) const {
    const auto found = std::find_if(rows_.begin(), rows_.end(), [&](const StudyRow* row) {
      const CellKey& key = row->key;
      return key.workload == workload && key.workers == workers && key.bandwidth == bandwidth &&
             key.latency == latency && key.compressor == compressor && key.what_if == what_if;
    });
    return found == rows_.end() || !(*found)->has_answer() ? nullptr : *found;
  }

 private:
  std::vector<const StudyRow*> rows_;
};

/// One table's place: a workload of a grid.
struct TablePlace {
  const StudySpec& spec;
  const GridSpec& grid;
  const GridRows& rows;
  std::size_t workload;

  const std::string& name() const { return spec.workloads[workload].name; }
};

/// Times without a compressor, or with the only one: workers x bandwidths.
void write_times(const TablePlace& place, Seconds latency, std::ostream& out) {
  const GridSpec& spec = place.grid;
  const std::string& compressor = spec.compressors.front();
  std::vector<TextTable::Column> columns = {{"workers"}};
  for (const BitsPerSecond bandwidth : spec.bandwidths) {
    columns.push_back({format_bandwidth(bandwidth)});
  }
  TextTable table(columns);
  for (const int workers : spec.workers) {
    std::vector<std::string> cells = {std::to_string(workers)};
    for (const BitsPerSecond bandwidth : spec.bandwidths) {
      const StudyRow* row = place.rows.find(place.workload, workers, bandwidth, latency, compressor,
                                            spec.what_ifs.front());
      cells.push_back(row == nullptr ? "-" : fmt::format("{:.1f}", row->main().count() * 1e3));
    }
    table.add_row(std::move(cells));
  }
  fmt::print(out,
             "{}, compressor {}, {} a message between nodes: backward plus synchronisation, ms, "
             "by {}\n{}\n",
             place.name(), compressor, format_duration(latency), name_of(spec.estimators.front()),
             table.text());
}

/// Speed-ups over float32 and fp16: compressors x workers, for one network.
void write_speedups(const TablePlace& place, BitsPerSecond bandwidth, Seconds latency,
                    std::ostream& out) {
  const GridSpec& spec = place.grid;
  std::vector<TextTable::Column> columns = {{"workers", TextTable::Align::kLeft}};
  for (const int workers : spec.workers) columns.push_back({std::to_string(workers)});
  TextTable table(columns);
  for (const std::string& compressor : spec.compressors) {
    if (compressor == "none") continue;
    std::vector<std::string> cells = {label_of(place.spec, compressor)};
    for (const int workers : spec.workers) {
      const StudyRow* row = place.rows.find(place.workload, workers, bandwidth, latency, compressor,
                                            spec.what_ifs.front());
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
  fmt::print(out, "{} at {}, {} a message: times faster than float32 / than fp16\n{}\n",
             place.name(), format_bandwidth(bandwidth), format_duration(latency), table.text());
}

/// What-ifs x compressors, for one network and the most workers: the time and the speed-up over
/// float32 that has been through the same what-ifs.
void write_what_ifs(const TablePlace& place, BitsPerSecond bandwidth, Seconds latency,
                    std::ostream& out) {
  const GridSpec& spec = place.grid;
  const int workers = *std::max_element(spec.workers.begin(), spec.workers.end());
  std::vector<TextTable::Column> columns = {{"what if", TextTable::Align::kLeft}};
  for (const std::string& compressor : spec.compressors) {
    columns.push_back({label_of(place.spec, compressor)});
  }
  TextTable table(columns);
  for (const std::string& what_if : spec.what_ifs) {
    std::vector<std::string> cells = {what_if.empty() ? "(none)" : what_if};
    for (const std::string& compressor : spec.compressors) {
      const StudyRow* row =
          place.rows.find(place.workload, workers, bandwidth, latency, compressor, what_if);
      std::string cell = row == nullptr ? "-" : fmt::format("{:.1f}", row->main().count() * 1e3);
      if (row != nullptr && !row->verdicts.empty()) {
        cell += fmt::format(" ({:.2f})", row->verdicts.front().speedup);
      }
      cells.push_back(std::move(cell));
    }
    table.add_row(std::move(cells));
  }
  fmt::print(out,
             "{} on {} workers at {}, {} a message: ms of backward plus synchronisation (times "
             "faster than float32)\n{}\n",
             place.name(), workers, format_bandwidth(bandwidth), format_duration(latency),
             table.text());
}

/// Up to three networks that a reader wants first: the slowest, the cluster's own, the fastest.
std::vector<BitsPerSecond> telling_bandwidths(const GridSpec& spec) {
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

/// The row's main answer as an estimator gave it, without its timeline.
IterationResult main_result(const GridSpec& grid, const StudyRow& row) {
  IterationResult result;
  result.estimator = name_of(grid.estimators.front());
  result.backward_sync = row.main();
  result.iteration = row.iteration;
  result.breakdown = row.breakdown;
  result.network = row.network;
  return result;
}

void write_plain_answer(const TablePlace& place, std::ostream& out) {
  const GridSpec& grid = place.grid;
  const int workers = *std::max_element(grid.workers.begin(), grid.workers.end());
  const std::string& compressor = grid.compressors.front();
  fmt::print(out, "{}, compressor {}:\n", place.name(), compressor);
  for (const BitsPerSecond bandwidth : telling_bandwidths(grid)) {
    const StudyRow* row =
        place.rows.find(place.workload, workers, bandwidth, grid.latencies.front(), compressor,
                        grid.what_ifs.front());
    if (row == nullptr) continue;
    const IterationResult result = main_result(grid, *row);
    fmt::print(out, "  {}\n    {}\n", answer_sentence(workers, bandwidth, result),
               reason_sentence(result));
    const std::string room = row->compressor ? std::string{} : room_sentence(result);
    if (!room.empty()) fmt::print(out, "    {}\n", room);
    fmt::print(out, "    Between {} and {} inside the bands below; scaling efficiency {:.1f} %.\n",
               format_duration(row->band.low), format_duration(row->band.high),
               row->scaling_efficiency * 100.0);
  }
}

}  // namespace

void write_grid_tables(const StudySpec& spec, const StudyOutcome& outcome, std::size_t index,
                       std::ostream& out) {
  const GridSpec& grid = spec.grids[index];
  const GridRows rows(outcome, index);
  for (const std::size_t workload : grid.workloads) {
    write_plain_answer({spec, grid, rows, workload}, out);
  }
  out << '\n';
  for (const std::size_t workload : grid.workloads) {
    const TablePlace place{spec, grid, rows, workload};
    for (const Seconds latency : grid.latencies) {
      if (grid.what_ifs.size() > 1) {
        for (const BitsPerSecond bandwidth : grid.bandwidths) {
          write_what_ifs(place, bandwidth, latency, out);
        }
        continue;
      }
      write_times(place, latency, out);
      if (grid.compressors.size() == 1) continue;
      for (const BitsPerSecond bandwidth : grid.bandwidths) {
        write_speedups(place, bandwidth, latency, out);
      }
    }
  }
}

}  // namespace gradwire
