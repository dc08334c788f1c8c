#include "simulator/report/study_report.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>

#include "base/unit_text.hpp"
#include "simulator/report/study_conclusions.hpp"
#include "simulator/report/study_tables.hpp"
#include "simulator/study/win_count.hpp"

namespace gradwire {
namespace {

// Tables of more cells than this nobody reads; results.csv has them.
constexpr std::size_t kTableCells = 500;

constexpr const char* kBaselines[] = {"float32", "fp16"};

std::string cell_text(const StudySpec& spec, const StudyRow& row) {
  return fmt::format("{}, {}, {} workers at {}{}", spec.workloads[row.key.workload].name,
                     label_of(spec, row.key.compressor), row.key.workers,
                     format_bandwidth(row.key.bandwidth),
                     row.key.what_if.empty() ? "" : ", what if " + row.key.what_if);
}

/// "a win of 1.24 x: v100-resnet50-b32, ...: the network's wait falls from 119 ms to 24 ms, encode
/// and decode take 45 ms".
std::string why_text(const StudySpec& spec, const StudyRow& row, const std::string& baseline) {
  const Verdict& verdict = *verdict_against(row, baseline);
  const Breakdown& parts = row.breakdown;
  return fmt::format(
      "{:.2f} x, {}: {} of compute; beyond it {} before, now {} of network and {} of encode and "
      "decode",
      verdict.speedup, cell_text(spec, row), format_duration(parts.compute),
      format_duration(verdict.baseline_time - parts.compute), format_duration(parts.exposed()),
      format_duration(parts.encode + parts.decode));
}

/// How often compressed cells win, tie and lose against one baseline.
void write_count(const WinCount& count, std::ostream& out) {
  if (count.cells() == 0) return;
  fmt::print(out,
             "Against {}: {} of {} compressed cells ({:.1f} %) win by more than {:.0f} %, {} tie, "
             "{} lose: {} since sending takes longer than what it replaces, {} since encode and "
             "decode do.\n",
             count.baseline, count.wins, count.cells(), count.share() * 100.0, kTieBand * 100.0,
             count.ties, count.losses, count.losses_to_network,
             count.losses - count.losses_to_network);
}

void write_reasons(const StudySpec& spec, const WinCount& count, std::ostream& out) {
  const auto write = [&](const char* what, const StudyRow* row) {
    if (row != nullptr) {
      fmt::print(out, "  {}: {}.\n", what, why_text(spec, *row, count.baseline));
    }
  };
  write("best", count.best);
  if (count.median_winner != count.best) write("median winner", count.median_winner);
  if (count.median_loser != count.worst) write("median loser", count.median_loser);
  write("worst", count.worst);
}

using Groups = std::vector<std::pair<std::string, std::vector<const StudyRow*>>>;

/// Rows of which `text` says the same, in order of appearance.
template <class Text>
Groups groups_of(const std::vector<const StudyRow*>& rows, Text text) {
  Groups groups;
  for (const StudyRow* row : rows) {
    const std::string value = text(*row);
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const auto& known) { return known.first == value; });
    if (group == groups.end()) group = groups.insert(groups.end(), {value, {}});
    group->second.push_back(row);
  }
  return groups;
}

/// "  wins by workers: 8 23/56, 16 25/56", by what `text` says of a row, in order of appearance.
template <class Text>
void write_wins_by(const char* axis, const std::vector<const StudyRow*>& rows,
                   const std::string& baseline, Text text, std::ostream& out) {
  const auto groups = groups_of(rows, text);
  if (groups.size() < 2) return;
  std::string line = fmt::format("  wins by {}:", axis);
  for (const auto& [value, members] : groups) {
    const WinCount count = count_wins(members, baseline);
    line += fmt::format("{} {} {}/{}", &value == &groups.front().first ? "" : ",", value,
                        count.wins, count.cells());
  }
  fmt::print(out, "{}\n", line);
}

void write_where(const StudySpec& spec, const std::vector<const StudyRow*>& rows,
                 const std::string& baseline, std::ostream& out) {
  const auto workload = [&](const StudyRow& row) { return spec.workloads[row.key.workload].name; };
  const auto workers = [](const StudyRow& row) { return std::to_string(row.key.workers); };
  const auto compressor = [&](const StudyRow& row) { return label_of(spec, row.key.compressor); };
  write_wins_by("workload", rows, baseline, workload, out);
  write_wins_by("workers", rows, baseline, workers, out);
  write_wins_by("compressor", rows, baseline, compressor, out);
}

/// On how much of a measurement the compressed cells of a grid rest.
void write_standing(const StudyOutcome& outcome, const std::vector<const StudyRow*>& rows,
                    std::ostream& out) {
  std::size_t cells = 0;
  std::size_t compute = 0;
  std::size_t encode = 0;
  std::size_t between = 0;
  for (const StudyRow* row : rows) {
    if (!row->compressor) continue;
    ++cells;
    compute += compute_standing(outcome, *row) == "measured" ? 1 : 0;
    encode += row->compressor->standing == "measured" ? 1 : 0;
    between += row->compressor->standing == "interpolated" ? 1 : 0;
  }
  if (cells == 0) return;
  fmt::print(out, "{} of {} compressed cells rest on measured compute, {} on measured encode{}.\n",
             compute, cells, encode,
             between == 0 ? "" : fmt::format(", {} on encode between measured figures", between));
}

/// What overlapping does to each compressor, for each its median cell.
void write_overlap(const StudySpec& spec, const std::vector<const StudyRow*>& rows,
                   std::ostream& out) {
  const OverlapCount all = count_overlap(rows);
  if (all.cells == 0) return;
  fmt::print(out,
             "Overlapping is slower than compressing afterwards in {} of {} cells, faster in {}.\n",
             all.slower, all.cells, all.faster);
  for (const auto& [compressor, members] :
       groups_of(rows, [&](const StudyRow& row) { return label_of(spec, row.key.compressor); })) {
    const OverlapCount count = count_overlap(members);
    if (count.cells == 0) continue;  // a cast, which keeps DDP's own overlap
    const OverlapLoss& loss = *count.median->overlap;
    fmt::print(
        out,
        "  {}: slower in {}/{}; median {}: {} instead of {}: hides {}, costs {} of the host, "
        "{} of stream order, {} of the shared device.\n",
        compressor, count.slower, count.cells, cell_text(spec, *count.median),
        format_duration(loss.overlapped), format_duration(loss.serial),
        format_duration(loss.hidden), format_duration(loss.host),
        format_duration(loss.stream_order), format_duration(loss.device_share));
  }
}

/// The verdicts that change where the network is more than a formula knows, each with both.
void write_flips(const StudySpec& spec, const std::vector<const StudyRow*>& rows,
                 const std::string& baseline, std::ostream& out) {
  const std::vector<const StudyRow*> flipped = flipped_rows(rows, baseline);
  fmt::print(out, "  {} of these verdicts are others than a formula's without contention{}\n",
             flipped.size(), flipped.empty() ? "." : ":");
  const auto change = [&](const StudyRow& row) {
    const Verdict& verdict = *verdict_against(row, baseline);
    return fmt::format("{} instead of {}", name_of(outcome_at(verdict.speedup)),
                       name_of(outcome_at(*verdict.nominal_speedup)));
  };
  for (const auto& [what, members] : groups_of(flipped, change)) {
    std::string line = fmt::format("    {}:", what);
    for (const StudyRow* row : members) {
      const Verdict& verdict = *verdict_against(*row, baseline);
      line += fmt::format("{} {}, {}, {} workers ({:.2f} x, not {:.2f} x)",
                          row == members.front() ? "" : ";", spec.workloads[row->key.workload].name,
                          label_of(spec, row->key.compressor), row->key.workers, verdict.speedup,
                          *verdict.nominal_speedup);
    }
    fmt::print(out, "{}.\n", line);
  }
}

/// Reasons for a grid alone and for those whose wins the study asks about; else the counts.
void write_grid(const StudySpec& spec, const StudyOutcome& outcome, std::size_t grid,
                std::ostream& out) {
  const bool is_main =
      spec.grids.size() == 1 ||
      std::any_of(spec.sensitivities.begin(), spec.sensitivities.end(),
                  [&](const SensitivitySpec& sensitivity) { return sensitivity.grid == grid; });
  const std::vector<const StudyRow*> rows = rows_of(outcome.rows, grid);
  write_standing(outcome, rows, out);
  write_overlap(spec, rows, out);
  for (const char* baseline : kBaselines) {
    const WinCount count = count_wins(rows, baseline);
    write_count(count, out);
    if (is_contended(spec.grids[grid]) && count.cells() > 0) {
      write_flips(spec, rows, baseline, out);
    }
    if (!is_main || count.cells() == 0) continue;
    write_where(spec, rows, baseline, out);
    write_reasons(spec, count, out);
  }
}

}  // namespace

void write_assumptions(const StudyOutcome& outcome, std::ostream& out) {
  for (const std::string& sentence : outcome.basis) fmt::print(out, "Assumed: {}\n", sentence);
  for (const std::string& warning : outcome.warnings) fmt::print(out, "Warning: {}\n", warning);
}

void write_failures(const StudySpec& spec, const StudyOutcome& outcome, std::ostream& out) {
  for (const StudyRow& row : outcome.rows) {
    if (row.has_answer()) continue;
    fmt::print(out, "Failed: {}: {}\n", cell_text(spec, row), row.failure);
  }
}

void write_study_text(const StudySpec& spec, const StudyOutcome& outcome, std::ostream& out) {
  const bool alone = spec.grids.size() == 1;
  if (alone && outcome.cells <= kTableCells) write_grid_tables(spec, outcome, 0, out);
  write_headline(spec, outcome, out);
  for (std::size_t grid = 0; grid < spec.grids.size(); ++grid) {
    if (!alone) {
      fmt::print(out, "{}: {}\n", spec.grids[grid].name, spec.grids[grid].description);
    }
    write_grid(spec, outcome, grid, out);
    if (!alone) out << '\n';
  }
  for (const CountSpec& count : spec.counts) {
    fmt::print(out, "{}: {}\n", count.name, count.description);
    const std::vector<const StudyRow*> rows = rows_of(outcome.rows, count);
    for (const char* baseline : kBaselines) write_count(count_wins(rows, baseline), out);
  }
  if (!spec.counts.empty()) out << '\n';
  write_claims(outcome, out);
  write_sensitivities(spec, outcome, out);
  fmt::print(out, "{} cells; the estimators are at most {:.4f} % apart.\n", outcome.rows.size(),
             outcome.largest_disagreement * 100.0);
  if (outcome.largest_form_distance) {
    fmt::print(out, "The study's own form of uncompressed training is at most {:.1f} % off them.\n",
               *outcome.largest_form_distance * 100.0);
  }
  write_failures(spec, outcome, out);
}

}  // namespace gradwire
