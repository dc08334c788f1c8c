#include "simulator/report/explanation_report.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cmath>

#include "base/unit_text.hpp"
#include "simulator/report/breakdown_text.hpp"
#include "simulator/report/explanation_words.hpp"
#include "simulator/report/json_writer.hpp"
#include "simulator/report/text_table.hpp"

namespace gradwire {
namespace {

using Align = TextTable::Align;

std::string breakdown_table(const Explanation& explanation) {
  const Seconds whole = explanation.result.backward_sync;
  const std::vector<BreakdownPart> parts = parts_of(explanation.result.breakdown);
  const std::vector<BreakdownPart> on_path = parts_of(explanation.on_path);
  const std::vector<std::string> shares = format_shares(parts);
  TextTable table({{"where the time goes", Align::kLeft}, {""}, {""}, {"on the critical path"}});
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool used = parts[i].time != Seconds{0} || on_path[i].time != Seconds{0};
    if (!used && !parts[i].always_shown) continue;
    table.add_row({parts[i].name, format_part(parts[i].time, whole), shares[i],
                   format_part(on_path[i].time, whole)});
  }
  return table.text();
}

/// One line of the path: one op, or several alike in a row.
struct PathLine {
  const PathStep* first = nullptr;
  const PathStep* last = nullptr;
  int ops = 0;
  Seconds latency{0};
};

std::string bound_words(const PathLine& line) {
  if (line.first->segment.activity != Activity::kCommunication) return {};
  const Seconds length = line.last->segment.end - line.first->segment.start;
  const std::string latency = fmt::format("latency {:.0f} %", line.latency / length * 100.0);
  return line.first->link ? link_words(*line.first->link) + "; " + latency : latency;
}

bool continues(const PathLine& line, const PathStep& step) {
  const PathSegment& front = line.last->segment;
  const PathSegment& next = step.segment;
  const auto link = [](const PathStep& of) {
    return of.link ? link_words(*of.link) : std::string{};
  };
  return front.rank == next.rank && front.stream == next.stream &&
         front.activity == next.activity && !next.last_to_arrive && link(*line.last) == link(step);
}

std::vector<PathLine> path_lines(const std::vector<PathStep>& path) {
  std::vector<PathLine> lines;
  for (const PathStep& step : path) {
    if (lines.empty() || !continues(lines.back(), step)) lines.push_back({&step});
    PathLine& line = lines.back();
    line.last = &step;
    ++line.ops;
    line.latency += step.segment.latency;
  }
  return lines;
}

std::string path_table(const std::vector<PathStep>& path) {
  constexpr std::size_t kMostLines = 40;
  TextTable table({{"from ms"},
                   {"to ms"},
                   {"ms"},
                   {"rank"},
                   {"stream", Align::kLeft},
                   {"op", Align::kLeft},
                   {"why then", Align::kLeft},
                   {"bound by", Align::kLeft}});
  const std::vector<PathLine> lines = path_lines(path);
  const auto milliseconds = [](Seconds time) { return fmt::format("{:.3f}", time.count() * 1e3); };
  for (std::size_t i = 0; i < std::min(lines.size(), kMostLines); ++i) {
    const PathSegment& first = lines[i].first->segment;
    const PathSegment& last = lines[i].last->segment;
    const std::string op =
        lines[i].ops == 1 ? first.label
                          : fmt::format("{} to {} ({} ops)", first.label, last.label, lines[i].ops);
    table.add_row({milliseconds(first.start), milliseconds(last.end),
                   milliseconds(last.end - first.start), fmt::format("{}", first.rank),
                   std::string{name_of(first.stream)}, op, cause_words(first),
                   bound_words(lines[i])});
  }
  std::string text = table.text();
  if (lines.size() > kMostLines) {
    text += fmt::format("... and {} lines more; --json has every op\n", lines.size() - kMostLines);
  }
  return text;
}

std::string links_table(const std::vector<LinkTraffic>& links) {
  TextTable table({{"link", Align::kLeft},
                   {"directions used"},
                   {"bytes over all"},
                   {"bytes over the busiest"},
                   {"that at full rate"}});
  for (const LinkTraffic& use : links) {
    table.add_row({std::string{name_of(use.kind)}, fmt::format("{}", use.links),
                   format_bytes(use.bytes), format_bytes(use.busiest.bytes),
                   fmt::format("{} at {}", format_duration(use.busiest.busy()),
                               format_bandwidth(use.busiest.bandwidth))});
  }
  return table.text();
}

struct NamedSlope {
  const char* input;
  const char* unit;
  const char* key;
  Slope slope;
};

std::vector<NamedSlope> named(const Slopes& slopes) {
  std::vector<NamedSlope> all = {
      {"bandwidth between nodes", "ms per Gbps", "ms_per_gbps", slopes.ms_per_gbps},
      {"latency between nodes", "ms per us", "ms_per_us", slopes.ms_per_us},
  };
  if (slopes.ms_per_encode_ms) {
    all.push_back(
        {"encoding and decoding", "ms per ms", "ms_per_encode_ms", *slopes.ms_per_encode_ms});
  }
  all.push_back({"compute", "ms per %", "ms_per_compute_percent", slopes.ms_per_compute_percent});
  all.push_back(
      {"bytes on the wire", "ms per %", "ms_per_payload_percent", slopes.ms_per_payload_percent});
  return all;
}

std::string slopes_table(const Slopes& slopes) {
  TextTable table({{"more of", Align::kLeft}, {"changes the time by"}, {"", Align::kLeft}});
  for (const NamedSlope& item : named(slopes)) {
    const auto show = [&](double value) {
      // What double precision leaves of a time that does not change is shown as 0.
      return fmt::format("{:+.4g} {}", std::abs(value) < 1e-9 ? 0.0 : value, item.unit);
    };
    const bool kink = item.slope.has_kink();
    table.add_row({item.input, show(kink ? item.slope.more : item.slope.central()),
                   kink ? fmt::format("a kink: {} towards less", show(*item.slope.less)) : ""});
  }
  return table.text();
}

void write_breakdown(const char* name, const Breakdown& breakdown, JsonWriter& json) {
  json.key(name).begin_object();
  for (const BreakdownPart& part : parts_of(breakdown)) {
    json.member(fmt::format("{}_s", part.key), part.time.count());
  }
  json.end_object();
}

void write_link(const LinkLoad& load, JsonWriter& json) {
  json.member("kind", name_of(load.place.kind));
  json.member("name", load.name);
  json.member("owner", load.place.owner);
  json.member("outward", load.place.outward);
  json.member("bandwidth_bits_per_s", load.bandwidth.count());
}

void write_path(const std::vector<PathStep>& path, JsonWriter& json) {
  json.key("critical_path").begin_array();
  for (const PathStep& step : path) {
    const PathSegment& segment = step.segment;
    json.begin_object(JsonLayout::kOneLine);
    json.member("start_s", segment.start.count());
    json.member("end_s", segment.end.count());
    json.member("rank", segment.rank);
    json.member("stream", name_of(segment.stream));
    json.member("activity", name_of(segment.activity));
    json.member("op", segment.label);
    json.member("why", cause_words(segment));
    json.member("latency_s", segment.latency.count());
    json.member("last_to_arrive", segment.last_to_arrive);
    json.key("bounding_link");
    if (step.link) {
      json.begin_object();
      write_link(step.link->load, json);
      json.member("all_alike", step.link->all_alike);
      json.end_object();
    } else {
      json.value(nullptr);
    }
    json.end_object();
  }
  json.end_array();
}

void write_links(const std::vector<LinkTraffic>& links, JsonWriter& json) {
  json.key("links").begin_array();
  for (const LinkTraffic& use : links) {
    json.begin_object(JsonLayout::kOneLine);
    json.member("kind", name_of(use.kind));
    json.member("directions_used", use.links);
    json.member("bytes", use.bytes.count());
    json.member("busiest_bytes", use.busiest.bytes.count());
    json.member("busiest_owner", use.busiest.place.owner);
    json.member("busiest_outward", use.busiest.place.outward);
    json.member("busiest_bandwidth_bits_per_s", use.busiest.bandwidth.count());
    json.member("busiest_full_rate_s", use.busiest.busy().count());
    json.end_object();
  }
  json.end_array();
}

void write_slopes(const Slopes& slopes, JsonWriter& json) {
  json.key("sensitivities").begin_object();
  for (const NamedSlope& item : named(slopes)) {
    json.key(item.key).begin_object(JsonLayout::kOneLine);
    json.member("central", item.slope.central());
    json.member("towards_less", item.slope.less);
    json.member("towards_more", item.slope.more);
    json.member("kink", item.slope.has_kink());
    json.end_object();
  }
  if (!slopes.ms_per_encode_ms) json.key("ms_per_encode_ms").value(nullptr);
  json.end_object();
}

}  // namespace

void write_text(const ExplanationReport& report, std::ostream& out) {
  const Explanation& explanation = report.explanation;
  fmt::print(out, "{}\n\n", explanation_paragraph(report));
  fmt::print(out, "{}\n", breakdown_table(explanation));
  fmt::print(out, "Critical path:\n{}\n", path_table(explanation.path));
  if (!explanation.links.empty()) {
    fmt::print(out, "Bytes of one iteration:\n{}\n", links_table(explanation.links));
  }
  fmt::print(out, "Sensitivities, each by itself, for small steps:\n{}\n",
             slopes_table(explanation.slopes));
  fmt::print(out, "Trace {} on {}, by {}.\n\nAssumed:\n", report.trace, report.cluster,
             explanation.result.estimator);
  for (const std::string& line : report.basis) fmt::print(out, "  {}\n", line);
  for (const std::string& warning : report.warnings) fmt::print(out, "Warning: {}\n", warning);
}

void write_json(const ExplanationReport& report, std::ostream& out) {
  const Explanation& explanation = report.explanation;
  JsonWriter json(out);
  json.begin_object();
  json.member("paragraph", explanation_paragraph(report));
  json.member("trace", report.trace);
  json.member("cluster", report.cluster);
  json.member("workers", report.workers);
  json.member("bandwidth_bits_per_s", report.bandwidth.count());
  json.member("nic_latency_s", report.nic_latency.count());
  json.key("compressor");
  report.compressor.empty() ? json.value(nullptr) : json.value(report.compressor);
  json.member("estimator", explanation.result.estimator);
  json.member("backward_sync_s", explanation.result.backward_sync.count());
  write_breakdown("breakdown", explanation.result.breakdown, json);
  write_breakdown("on_critical_path", explanation.on_path, json);
  write_path(explanation.path, json);
  write_links(explanation.links, json);
  write_slopes(explanation.slopes, json);
  json.key("float32");
  if (explanation.uncompressed) {
    json.begin_object();
    json.member("backward_sync_s", explanation.uncompressed->backward_sync.count());
    write_breakdown("breakdown", explanation.uncompressed->breakdown, json);
    json.end_object();
  } else {
    json.value(nullptr);
  }
  json.member("assumptions", report.basis);
  json.member("warnings", report.warnings);
  json.end_object();
  out << '\n';
}

}  // namespace gradwire
