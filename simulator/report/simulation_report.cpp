#include "simulator/report/simulation_report.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "base/unit_text.hpp"
#include "simulator/report/answer_text.hpp"
#include "simulator/report/breakdown_text.hpp"
#include "simulator/report/monte_carlo_report.hpp"
#include "simulator/report/text_table.hpp"

namespace gradwire {
namespace {

std::string milliseconds(Seconds time) { return fmt::format("{:.3f}", time.count() * 1e3); }

std::string distance(Seconds time, Seconds from) {
  const double percent = (time / from - 1.0) * 100.0;
  return fmt::format("{:+.2f} %", std::abs(percent) < 0.005 ? 0.0 : percent);
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
  const auto add_study_form = [&](const char* name, std::optional<Seconds> time) {
    if (time) table.add_row({name, milliseconds(*time), distance(*time, main)});
  };
  add_study_form("study's formula, last bucket outside its max", report.study_outside);
  add_study_form("study's formula, last bucket inside its max", report.study_inside);
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
  json.member("encode_s", parts.encode.count());
  json.member("decode_s", parts.decode.count());
  json.member("exposed_bandwidth_s", parts.exposed_bandwidth.count());
  json.member("exposed_latency_s", parts.exposed_latency.count());
  json.member("host_s", parts.host.count());
  json.member("waiting_for_ranks_s", parts.waiting.count());
  json.end_object();
  json.member("stalled_on_failed_links_s", result.network.stalled.count());
  json.end_object();
}

std::string answer_of(const SimulationReport& report) {
  return answer_sentence(report.workers, report.bandwidth, report.main,
                         report.compressor ? report.compressor->spelling : std::string{});
}

std::string overlap_text(const OverlapLoss& loss) {
  const Seconds hidden = loss.hidden;
  return fmt::format(
      "Overlapping takes {} where compressing afterwards takes {}: it {} {}, and costs {} of the "
      "host "
      "thread, which launches the backward pass later, {} of encoding in front of backward kernels "
      "and {} of sharing the device.",
      format_duration(loss.overlapped), format_duration(loss.serial),
      hidden >= Seconds{0} ? "hides" : "would even at no cost lose",
      format_duration(hidden >= Seconds{0} ? hidden : -hidden), format_duration(loss.host),
      format_duration(loss.stream_order), format_duration(loss.device_share));
}

std::string verdict_text(const CompressorReport& compressor) {
  std::string text = fmt::format(
      "{} sends {} a rank, {:.4g} times less than float32; encoding takes {}, decoding {}.\n",
      compressor.spelling, format_bytes(compressor.wire_bytes), compressor.ratio,
      format_duration(compressor.encode), format_duration(compressor.decode));
  if (compressor.overlap) text += overlap_text(*compressor.overlap) + "\n";
  for (const Verdict& verdict : compressor.verdicts) {
    text +=
        fmt::format("Against {} without it ({}): {}{}; {} to {} inside the bands.\n",
                    verdict.baseline, format_duration(verdict.baseline_time),
                    difference_text(verdict.speedup), verdict.is_tie() ? ", a tie" : "",
                    difference_text(verdict.speedup_low), difference_text(verdict.speedup_high));
  }
  return text;
}

/// Each what-if with what it does to the time; empty without any.
std::string what_if_table(const std::vector<WhatIfEffect>& what_ifs) {
  if (what_ifs.empty()) return {};
  TextTable table({{"what if", TextTable::Align::kLeft}, {"ms"}, {"against the line before"}});
  table.add_row({"(as asked without)", milliseconds(what_ifs.front().before), ""});
  for (const WhatIfEffect& effect : what_ifs) {
    table.add_row({effect.text, milliseconds(effect.after), distance(effect.after, effect.before)});
  }
  return table.text() + "\n";
}

void write_what_ifs(const std::vector<WhatIfEffect>& what_ifs, JsonWriter& json) {
  json.key("what_ifs").begin_array();
  for (const WhatIfEffect& effect : what_ifs) {
    json.begin_object(JsonLayout::kOneLine).member("what_if", effect.text);
    json.member("before_s", effect.before.count()).member("after_s", effect.after.count());
    json.end_object();
  }
  json.end_array();
}

void write_overlap(const OverlapLoss& loss, JsonWriter& json) {
  json.begin_object();
  json.member("serial_s", loss.serial.count());
  json.member("overlapped_s", loss.overlapped.count());
  json.member("hidden_s", loss.hidden.count());
  json.member("host_s", loss.host.count());
  json.member("stream_order_s", loss.stream_order.count());
  json.member("device_share_s", loss.device_share.count());
  json.end_object();
}

void write_compressor(const CompressorReport& compressor, JsonWriter& json) {
  json.begin_object();
  json.member("spelling", compressor.spelling);
  json.member("wire_bytes", compressor.wire_bytes.count());
  json.member("compression_ratio", compressor.ratio);
  json.member("encode_s", compressor.encode.count());
  json.member("decode_s", compressor.decode.count());
  json.key("overlap");
  compressor.overlap ? write_overlap(*compressor.overlap, json) : (void)json.value(nullptr);
  json.key("verdicts").begin_array();
  for (const Verdict& verdict : compressor.verdicts) {
    json.begin_object();
    json.member("baseline", verdict.baseline);
    json.member("baseline_backward_sync_s", verdict.baseline_time.count());
    json.member("speedup_ratio", verdict.speedup);
    json.member("speedup_low_ratio", verdict.speedup_low);
    json.member("speedup_high_ratio", verdict.speedup_high);
    json.member("outcome", name_of(outcome_at(verdict.speedup)));
    json.end_object();
  }
  json.end_array().end_object();
}

void write_seconds(const char* name, std::optional<Seconds> time, JsonWriter& json) {
  json.key(name);
  time ? json.value(time->count()) : json.value(nullptr);
}

}  // namespace

void write_text(const SimulationReport& report, std::ostream& out) {
  const IterationResult& main = report.main;
  fmt::print(out, "{}\n", answer_of(report));
  fmt::print(out, "{}\n", reason_sentence(main));
  if (report.compressor) {
    fmt::print(out, "{}", verdict_text(*report.compressor));
  } else if (const std::string room = room_sentence(main); !room.empty()) {
    fmt::print(out, "{}\n", room);
  }
  if (report.samples) fmt::print(out, "{}", monte_carlo_text(*report.samples));
  fmt::print(out,
             "Between {} and {} while the assumptions below move inside their bands; no "
             "measurement of this set-up is known.\n\n",
             format_duration(report.band_low), format_duration(report.band_high));
  fmt::print(out, "{}", what_if_table(report.what_ifs));
  fmt::print(out, "{}\n", breakdown_text(main.breakdown));
  fmt::print(out, "{}\n", estimates_table(report));
  if (main.iteration) {
    fmt::print(out, "A whole iteration, with what the trace holds outside the backward pass: {}\n",
               format_duration(*main.iteration));
  } else {
    fmt::print(out, "How long an iteration is outside the backward pass is not known here.\n");
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
  json.member("answer", answer_of(report));
  json.member("trace", report.trace);
  json.member("device", report.device);
  json.member("cluster", report.cluster);
  json.member("workers", report.workers);
  json.member("bandwidth_bits_per_s", report.bandwidth.count());
  json.member("nic_latency_s", report.nic_latency.count());
  json.member("latency_mode", report.latency_mode);
  json.member("overlap_slowdown_factor", report.overlap_slowdown);
  json.member("replay", report.replay);
  json.key("batch");
  report.batch ? (void)json.value(*report.batch) : (void)json.value(nullptr);
  json.member("compute_standing", report.compute_standing);
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
  json.key("compressor");
  report.compressor ? write_compressor(*report.compressor, json) : (void)json.value(nullptr);
  write_what_ifs(report.what_ifs, json);
  write_seconds("study_formula_outside_s", report.study_outside, json);
  write_seconds("study_formula_inside_s", report.study_inside, json);
  json.member("assumption_band_low_s", report.band_low.count());
  json.member("assumption_band_high_s", report.band_high.count());
  json.key("samples");
  report.samples ? write_monte_carlo(*report.samples, json) : (void)json.value(nullptr);
  json.member("assumptions", report.basis);
  json.member("warnings", report.warnings);
  json.end_object();
  out << '\n';
}

}  // namespace gradwire
