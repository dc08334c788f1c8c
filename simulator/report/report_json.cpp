#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "simulator/report/json_writer.hpp"
#include "simulator/report/report_page.hpp"
#include "simulator/report/study_columns.hpp"
#include "simulator/study/win_count.hpp"

namespace gradwire {
namespace {

/// Rounded to what the page shows, so that thousands of them stay small.
void write_number(JsonWriter& json, double number) {
  if (std::isfinite(number)) {
    json.number_text(fmt::format("{:.7g}", number));
  } else {
    json.value(nullptr);
  }
}

void write_number(JsonWriter& json, std::optional<double> number) {
  if (number) {
    write_number(json, *number);
  } else {
    json.value(nullptr);
  }
}

void member(JsonWriter& json, std::string_view name, double number) {
  json.key(name);
  write_number(json, number);
}

void write_times(JsonWriter& json, std::string_view name, const std::vector<Seconds>& times) {
  json.key(name).begin_array(JsonLayout::kOneLine);
  for (const Seconds time : times) write_number(json, time.count());
  json.end_array();
}

void write_study(JsonWriter& json, const StudySpec& spec, const StudyOutcome& outcome) {
  const auto failed = std::count_if(outcome.rows.begin(), outcome.rows.end(),
                                    [](const StudyRow& row) { return !row.has_answer(); });
  json.key("study").begin_object(JsonLayout::kOneLine).member("name", spec.name);
  json.member("description", spec.description).member("cells", outcome.cells);
  json.member("missing", outcome.cells - outcome.rows.size()).member("failed", failed);
  json.member("tie_band", kTieBand).end_object();
  json.key("labels").begin_object();
  for (const auto& [spelling, label] : spec.labels) json.member(spelling, label);
  json.end_object();
  json.key("workloads").begin_array();
  for (std::size_t i = 0; i < spec.workloads.size(); ++i) {
    const Workload& workload = *outcome.workloads[i];
    json.begin_object(JsonLayout::kOneLine).member("name", spec.workloads[i].name);
    json.member("trace", spec.workloads[i].trace.string()).member("batch", workload.batch);
    json.member("standing", workload.compute_standing).member("basis", workload.compute_basis);
    json.member("payload_bytes", workload.total_bytes().count());
    member(json, "backward_s", workload.backward_span.count());
    json.end_object();
  }
  json.end_array();
  json.key("grids").begin_array();
  for (const GridSpec& grid : spec.grids) {
    json.begin_object(JsonLayout::kOneLine).member("name", grid.name);
    json.member("description", grid.description).member("cluster", grid.cluster.name);
    json.member("mode", name_of(grid.mode)).member("estimator", name_of(grid.estimators.front()));
    json.member("cells", cell_count(grid)).end_object();
  }
  json.end_array();
}

void write_texts(JsonWriter& json, const StudyColumn& column, const std::vector<StudyRow>& rows) {
  std::map<std::string, std::size_t> indices;
  std::vector<std::string> texts;
  std::vector<std::size_t> values;
  for (const StudyRow& row : rows) {
    const std::string text = column.text(row);
    const auto [found, is_new] = indices.try_emplace(text, texts.size());
    if (is_new) texts.push_back(text);
    values.push_back(found->second);
  }
  json.member("texts", texts);
  json.key("values").begin_array();
  for (const std::size_t value : values) json.value(value);
  json.end_array();
}

/// The columns of results.csv that hold something.
void write_rows(JsonWriter& json, const StudySpec& spec, const StudyOutcome& outcome) {
  json.key("cells").begin_array(JsonLayout::kOneLine);
  for (const StudyRow& row : outcome.rows) json.value(row.key.cell);
  json.end_array();
  json.key("grid_of_row").begin_array(JsonLayout::kOneLine);
  for (const StudyRow& row : outcome.rows) json.value(row.key.grid);
  json.end_array();
  json.key("workload_of_row").begin_array(JsonLayout::kOneLine);
  for (const StudyRow& row : outcome.rows) json.value(row.key.workload);
  json.end_array();
  json.key("columns").begin_array();
  for (const StudyColumn& column : study_columns(spec, outcome)) {
    if (column.number != nullptr &&
        std::none_of(outcome.rows.begin(), outcome.rows.end(),
                     [&](const StudyRow& row) { return column.number(row).has_value(); })) {
      continue;
    }
    json.begin_object(JsonLayout::kOneLine).member("name", column.name);
    if (column.text) {
      write_texts(json, column, outcome.rows);
    } else {
      json.key("values").begin_array();
      for (const StudyRow& row : outcome.rows) write_number(json, column.number(row));
      json.end_array();
    }
    json.end_object();
  }
  json.end_array();
}

void write_break_even(JsonWriter& json, const BreakEven& found) {
  json.begin_object().member("unknown", name_of(found.unknown));
  member(json, "low", found.range.low);
  member(json, "high", found.range.high);
  if (found.here) member(json, "here", *found.here);
  json.key("holds").begin_array();
  for (const BreakEvenInterval& interval : found.holds) {
    json.begin_array();
    write_number(json, interval.from);
    write_number(json, interval.to);
    json.end_array();
  }
  json.end_array().end_object();
}

void write_points(JsonWriter& json, const ReportContent& content) {
  json.key("points").begin_array();
  for (const ReportPoint& point : content.points) {
    json.begin_object(JsonLayout::kOneLine).member("workload", point.workload);
    json.member("cell", point.cell).member("payload_bytes", point.payload.count());
    json.member("wire_bytes", point.wire.count()).member("all_reduced", point.all_reduced);
    member(json, "encode_s", point.encode.count());
    member(json, "decode_s", point.decode.count());
    json.key("pays").begin_array();
    for (const BreakEven& found : point.pays) write_break_even(json, found);
    json.end_array();
    write_times(json, "budgets_s", point.budgets);
    json.end_object();
  }
  json.end_array();
}

void write_sweeps(JsonWriter& json, const ReportContent& content) {
  json.key("bandwidths_bits_per_s").begin_array(JsonLayout::kOneLine);
  for (const BitsPerSecond bandwidth : content.bandwidths) json.value(bandwidth.count());
  json.end_array().key("compute_factors").begin_array(JsonLayout::kOneLine);
  for (const double compute : content.computes) write_number(json, compute);
  json.end_array().key("ratios").begin_array(JsonLayout::kOneLine);
  for (const double ratio : content.ratios) write_number(json, ratio);
  json.end_array().key("sweeps").begin_array();
  for (const ReportSweep& sweep : content.sweeps) {
    json.begin_object(JsonLayout::kOneLine).member("workload", sweep.workload);
    json.member("compressor", sweep.compressor);
    write_times(json, "times_s", sweep.times);
    json.end_object();
  }
  json.end_array().key("boundaries").begin_array();
  for (const RatioBoundary& boundary : content.boundaries) {
    json.begin_object(JsonLayout::kOneLine).member("workload", boundary.workload);
    json.member("compressor", boundary.compressor).member("all_reduced", boundary.all_reduced);
    write_times(json, "budgets_s", boundary.budgets);
    json.end_object();
  }
  json.end_array();
}

/// An interval is an array, in the order of `fields` of the page's charts.js.
void write_interval(JsonWriter& json, const Interval& interval) {
  json.begin_array().value(interval.rank).value(static_cast<int>(track_of(interval)));
  json.value(name_of(interval.activity)).value(interval.label);
  json.value(to_nanoseconds(interval.start).count()).value(to_nanoseconds(interval.end).count());
  json.value(to_nanoseconds(interval.waiting).count());
  json.value(to_nanoseconds(interval.latency).count());
  json.value(interval.payload.count()).value(interval.sent.count()).end_array();
}

void write_timelines(JsonWriter& json, const ReportContent& content) {
  json.key("timelines").begin_array();
  for (const ReportTimeline& one : content.timelines) {
    json.begin_object(JsonLayout::kOneLine).member("compressor", one.compressor);
    json.member("estimator", one.estimator).member("last_rank", one.timeline.last_rank);
    json.key("intervals").begin_array();
    for (const Interval& interval : one.timeline.intervals) write_interval(json, interval);
    json.end_array().end_object();
  }
  json.end_array();
}

void write_claims(JsonWriter& json, const StudyOutcome& outcome) {
  json.key("claims").begin_array();
  for (const ClaimResult& result : outcome.claims) {
    const ClaimSpec& claim = *result.claim;
    json.begin_object(JsonLayout::kOneLine).member("claim", claim.claim);
    json.member("low", claim.low).member("high", claim.high).key("ours");
    write_number(json, result.ours);
    json.member("unit", claim.unit).member("standing", claim.standing);
    json.member("source", claim.source).end_object();
  }
  json.end_array();
}

}  // namespace

std::string report_json(const StudySpec& spec, const StudyOutcome& outcome,
                        const ReportContent& content) {
  std::ostringstream text;
  JsonWriter json(text);
  json.begin_object();
  write_study(json, spec, outcome);
  write_rows(json, spec, outcome);
  json.member("chosen", content.chosen).member("why_no_sweeps", content.why_no_sweeps);
  write_sweeps(json, content);
  write_points(json, content);
  write_timelines(json, content);
  write_claims(json, outcome);
  json.member("basis", outcome.basis);
  json.member("warnings", outcome.warnings);
  json.end_object();
  std::string safe;
  for (const char c : std::move(text).str()) {
    if (c == '<') {
      safe += "\\u003c";  // only strings hold it, and none of them shall end the script element
    } else {
      safe += c;
    }
  }
  return safe;
}

}  // namespace gradwire
