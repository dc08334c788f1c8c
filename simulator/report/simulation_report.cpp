#include "simulator/report/simulation_report.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "base/unit_text.hpp"
#include "simulator/report/answer_text.hpp"
#include "simulator/report/breakdown_text.hpp"
#include "simulator/report/text_table.hpp"

namespace gradwire {
namespace {

std::string milliseconds(Seconds time) { return fmt::format("{:.3f}", time.count() * 1e3); }

std::string distance(Seconds time, Seconds from) {
  return fmt::format("{:+.2f} %", (time / from - 1.0) * 100.0);
}

std::string estimates_table(const SimulationReport& report) {
  TextTable table({{"estimate of backward plus synchronisation", TextTable::Align::kLeft},
                   {"ms"},
                   {"against the first"}});
  const Seconds main = report.main.backward_sync;
  table.add_row({report.main.estimator, milliseconds(main), ""});
  for (const IterationResult& other : report.others) {
    table.add_row(
        {other.estimator, milliseconds(other.backward_sync), distance(other.backward_sync, main)});
  }
  table.add_row({"study's formula, last bucket outside its max", milliseconds(report.study_outside),
                 distance(report.study_outside, main)});
  table.add_row({"study's formula, last bucket inside its max", milliseconds(report.study_inside),
                 distance(report.study_inside, main)});
  return table.text();
}

void write_result(const IterationResult& result, JsonWriter& json) {
  const Breakdown& parts = result.breakdown;
  json.begin_object();
  json.member("estimator", result.estimator);
  json.member("backward_sync_s", result.backward_sync.count());
  json.key("iteration_s");
  result.iteration ? json.value(result.iteration->count()) : json.value(nullptr);
  json.key("breakdown").begin_object();
  json.member("compute_s", parts.compute.count());
  json.member("overlap_slowdown_s", parts.overlap_slowdown.count());
  json.member("exposed_bandwidth_s", parts.exposed_bandwidth.count());
  json.member("exposed_latency_s", parts.exposed_latency.count());
  json.member("waiting_for_ranks_s", parts.waiting.count());
  json.end_object().end_object();
}

void write_strings(const char* name, const std::vector<std::string>& texts, JsonWriter& json) {
  json.key(name).begin_array();
  for (const std::string& text : texts) json.value(text);
  json.end_array();
}

}  // namespace

void write_text(const SimulationReport& report, std::ostream& out) {
  const IterationResult& main = report.main;
  fmt::print(out, "{}\n", answer_sentence(report.workers, report.bandwidth, main));
  fmt::print(out, "{}\n", reason_sentence(main));
  const std::string room = room_sentence(main);
  if (!room.empty()) fmt::print(out, "{}\n", room);
  fmt::print(out,
             "Between {} and {} while the assumptions below move inside their bands; no "
             "measurement of this set-up is known.\n\n",
             format_duration(report.band_low), format_duration(report.band_high));
  fmt::print(out, "{}\n", breakdown_text(main.breakdown));
  fmt::print(out, "{}\n", estimates_table(report));
  if (main.iteration) {
    fmt::print(out, "A whole iteration, with what the trace holds outside the backward pass: {}\n",
               format_duration(*main.iteration));
  } else {
    fmt::print(out,
               "The trace does not tell how long an iteration is outside the backward pass.\n");
  }
  fmt::print(out, "Trace {}{}: {} parameters, {} of gradients in {} buckets; replayed {}.\n",
             report.trace, report.device.empty() ? "" : " on " + report.device, report.parameters,
             format_bytes(report.gradient_bytes), report.buckets.size(), report.replay);
  fmt::print(out, "\nAssumed:\n");
  for (const std::string& line : report.basis) fmt::print(out, "  {}\n", line);
  for (const std::string& warning : report.warnings) fmt::print(out, "Warning: {}\n", warning);
}

void write_json(const SimulationReport& report, std::ostream& out) {
  JsonWriter json(out);
  json.begin_object();
  json.member("answer", answer_sentence(report.workers, report.bandwidth, report.main));
  json.member("trace", report.trace);
  json.member("device", report.device);
  json.member("cluster", report.cluster);
  json.member("workers", report.workers);
  json.member("bandwidth_bits_per_s", report.bandwidth.count());
  json.member("nic_latency_s", report.nic_latency.count());
  json.member("latency_mode", report.latency_mode);
  json.member("overlap_slowdown_factor", report.overlap_slowdown);
  json.member("replay", report.replay);
  json.member("parameters", report.parameters);
  json.member("gradient_bytes", report.gradient_bytes.count());
  json.key("bucket_bytes").begin_array(JsonLayout::kOneLine);
  for (const Bytes bytes : report.buckets) json.value(bytes.count());
  json.end_array();
  json.key("result");
  write_result(report.main, json);
  json.key("other_estimates").begin_array();
  for (const IterationResult& other : report.others) write_result(other, json);
  json.end_array();
  json.member("study_formula_outside_s", report.study_outside.count());
  json.member("study_formula_inside_s", report.study_inside.count());
  json.member("assumption_band_low_s", report.band_low.count());
  json.member("assumption_band_high_s", report.band_high.count());
  write_strings("assumptions", report.basis, json);
  write_strings("warnings", report.warnings, json);
  json.end_object();
  out << '\n';
}

}  // namespace gradwire
