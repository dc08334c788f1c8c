#include "simulator/report/break_even_report.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <utility>

#include "base/errors.hpp"
#include "base/unit_text.hpp"
#include "simulator/report/break_even_text.hpp"
#include "simulator/report/json_writer.hpp"
#include "simulator/report/text_table.hpp"

namespace gradwire {
namespace {

constexpr const char* kNotCounted = "not counted";  // CompressorChoice::standing of a cast

std::string setting_text(const BreakEvenReport& report) {
  return fmt::format("{} workers at {}", report.workers, format_bandwidth(report.bandwidth));
}

const BreakEven* faster_answer(const CompressorBreakEvens& compressor, BreakEvenUnknown unknown) {
  const auto found = std::find_if(
      compressor.answers.begin(), compressor.answers.end(), [unknown](const BreakEven& answer) {
        return answer.unknown == unknown && answer.goal == BreakEvenGoal::kFaster;
      });
  return found == compressor.answers.end() ? nullptr : &*found;
}

std::string costs_text(const CompressorBreakEvens& compressor) {
  const std::string sent =
      fmt::format("{} sends {} a rank, {:.4g} times less than float32; ", compressor.spelling,
                  format_bytes(compressor.wire_bytes), compressor.ratio);
  if (compressor.standing == kNotCounted) return sent + "its own time counts as nothing.";
  if (!compressor.encode || !compressor.decode) {
    return sent + "what encoding and decoding take on this device is not known.";
  }
  return sent + fmt::format("encoding takes {}, decoding {} ({}).",
                            format_duration(*compressor.encode),
                            format_duration(*compressor.decode), compressor.standing);
}

/// Why no ratio is enough.
std::string remainder_text(const Breakdown& left) {
  return fmt::format(
      "At the highest ratio {} of compute remain beside {} of latency, {} of bytes and {} of "
      "compute slowed by communication.",
      format_duration(left.compute), format_duration(left.exposed_latency),
      format_duration(left.exposed_bandwidth), format_duration(left.overlap_slowdown));
}

/// Every sentence of the answers, compressors first; those of a table are left out.
std::vector<std::string> sentences_of(const BreakEvenReport& report) {
  std::vector<std::string> sentences;
  if (!report.as_table) {
    for (const CompressorBreakEvens& compressor : report.compressors) {
      for (const BreakEven& found : compressor.answers) {
        sentences.push_back(break_even_sentence(
            found, sentences.empty() ? compressor.spelling : "It", report.baseline));
      }
      sentences.push_back(costs_text(compressor));
    }
  }
  for (const BreakEven& found : report.uncompressed) {
    sentences.push_back(break_even_sentence(found, "", report.baseline));
    if (found.unknown == BreakEvenUnknown::kRatio && report.at_highest_ratio) {
      sentences.push_back(remainder_text(*report.at_highest_ratio));
    }
  }
  return sentences;
}

/// How many compressors are faster here, or could be.
std::string count_text(const BreakEvenReport& report) {
  const auto count = [&](BreakEvenUnknown unknown, auto holds) {
    return std::count_if(report.compressors.begin(), report.compressors.end(),
                         [&](const CompressorBreakEvens& compressor) {
                           const BreakEven* found = faster_answer(compressor, unknown);
                           return found != nullptr && holds(*found);
                         });
  };
  const auto here = [](const BreakEven& found) { return found.value_here > 1.0; };
  const auto somewhere = [](const BreakEven& found) { return !found.holds.empty(); };
  for (const BreakEvenUnknown unknown : break_even_unknowns()) {
    if (unknown == BreakEvenUnknown::kCodec || count(unknown, somewhere) == 0) continue;
    const auto told = count(unknown, [](const BreakEven&) { return true; });
    const auto all = static_cast<std::ptrdiff_t>(report.compressors.size());
    return fmt::format("{} of {} compressors are faster than {}{}", count(unknown, here), all,
                       report.baseline,
                       told == all ? "" : fmt::format(", of {} it cannot be told", all - told));
  }
  return fmt::format(
      "{} of {} compressors are faster than {} if encode and decode are short enough",
      count(BreakEvenUnknown::kCodec, somewhere), report.compressors.size(), report.baseline);
}

std::string column_title(BreakEvenUnknown unknown) {
  return unknown == BreakEvenUnknown::kCodec ? "encode and decode" : std::string{name_of(unknown)};
}

std::string compressors_table(const BreakEvenReport& report) {
  std::vector<BreakEvenUnknown> asked;
  for (const BreakEvenUnknown unknown : break_even_unknowns()) {
    if (std::any_of(
            report.compressors.begin(), report.compressors.end(),
            [&](const auto& compressor) { return faster_answer(compressor, unknown) != nullptr; }))
      asked.push_back(unknown);
  }
  std::vector<TextTable::Column> columns = {{"faster", TextTable::Align::kLeft}, {"ratio"}};
  for (const BreakEvenUnknown unknown : asked) {
    columns.push_back({column_title(unknown), TextTable::Align::kLeft});
    if (unknown != BreakEvenUnknown::kCodec) continue;
    columns.push_back({"they take"});
    columns.push_back({"standing", TextTable::Align::kLeft});
  }
  TextTable table(std::move(columns));
  for (const CompressorBreakEvens& compressor : report.compressors) {
    std::vector<std::string> cells = {compressor.spelling, fmt::format("{:.4g}", compressor.ratio)};
    for (const BreakEvenUnknown unknown : asked) {
      const BreakEven* found = faster_answer(compressor, unknown);
      cells.push_back(found == nullptr ? "-" : place_text(unknown, found->holds));
      if (unknown != BreakEvenUnknown::kCodec) continue;
      const bool known = compressor.encode && compressor.decode;
      cells.push_back(known ? format_duration(*compressor.encode + *compressor.decode) : "-");
      cells.push_back(compressor.standing);
    }
    table.add_row(std::move(cells));
  }
  return table.text();
}

/// From where to where the answers of a table were looked for.
std::string ranges_text(const BreakEvenReport& report) {
  std::vector<std::string> ranges;
  for (const BreakEvenUnknown unknown : break_even_unknowns()) {
    for (const CompressorBreakEvens& compressor : report.compressors) {
      const BreakEven* found = faster_answer(compressor, unknown);
      if (found == nullptr) continue;
      ranges.push_back(fmt::format("{} from {} to {}", column_title(unknown),
                                   value_text(unknown, found->range.low),
                                   value_text(unknown, found->range.high)));
      break;
    }
  }
  return fmt::format("Looked at: {}.", fmt::join(ranges, "; "));
}

/// Each reason once, with the compressors that have it unless it is everybody's.
std::vector<std::string> reasons_of(const BreakEvenReport& report) {
  std::vector<std::string> lines;
  for (const std::string& reason : report.unanswered) {
    lines.push_back(fmt::format("Not answered: {}.", reason));
  }
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
  for (const CompressorBreakEvens& compressor : report.compressors) {
    for (const std::string& reason : compressor.unanswered) {
      if (std::find(report.unanswered.begin(), report.unanswered.end(), reason) !=
          report.unanswered.end()) {
        continue;
      }
      auto known = std::find_if(reasons.begin(), reasons.end(),
                                [&](const auto& entry) { return entry.first == reason; });
      if (known == reasons.end()) known = reasons.insert(reasons.end(), {reason, {}});
      known->second.push_back(compressor.spelling);
    }
  }
  for (const auto& [reason, compressors] : reasons) {
    constexpr std::size_t kMostNames = 2;
    const std::string whose =
        compressors.size() > kMostNames
            ? fmt::format("{} of {} compressors", compressors.size(), report.compressors.size())
            : fmt::format("{}", fmt::join(compressors, "; "));
    lines.push_back(fmt::format("Not answered for {}: {}.", whose, reason));
  }
  return lines;
}

std::string_view name_of_goal(BreakEvenGoal goal) {
  switch (goal) {
    case BreakEvenGoal::kFaster:
      return "faster";
    case BreakEvenGoal::kEfficient:
      return "efficient";
    case BreakEvenGoal::kEfficientUncompressed:
      return "efficient_uncompressed";
  }
  GW_CHECK(false, "a goal without a case");
}

const char* unit_of(BreakEvenUnknown unknown) {
  switch (unknown) {
    case BreakEvenUnknown::kBandwidth:
      return "bits_per_s";
    case BreakEvenUnknown::kCodec:
      return "s";
    case BreakEvenUnknown::kRatio:
      return "ratio";
    case BreakEvenUnknown::kBatch:
      return "samples";
    case BreakEvenUnknown::kWorkers:
      return "workers";
    case BreakEvenUnknown::kCompute:
      return "factor";
  }
  GW_CHECK(false, "an unknown without a case");
}

void write_intervals(const char* name, const std::vector<BreakEvenInterval>& intervals,
                     JsonWriter& json) {
  json.key(name).begin_array();
  for (const BreakEvenInterval& interval : intervals) {
    json.begin_object(JsonLayout::kOneLine);
    json.member("from", interval.from).member("from_is_root", interval.from_is_root);
    json.member("to", interval.to).member("to_is_root", interval.to_is_root);
    json.end_object();
  }
  json.end_array();
}

void write_answer(const BreakEven& found, const std::string& compressor,
                  const std::string& baseline, JsonWriter& json) {
  json.begin_object();
  json.member("sentence", break_even_sentence(found, compressor, baseline));
  json.member("find", name_of(found.unknown));
  json.member("unit", unit_of(found.unknown));
  json.member("goal", name_of_goal(found.goal));
  json.key("range").begin_array(JsonLayout::kOneLine);
  json.value(found.range.low).value(found.range.high);
  json.end_array();
  write_intervals("holds", found.holds, json);
  json.key("band");
  if (found.band) {
    json.begin_object();
    write_intervals("narrowest", found.band->narrowest, json);
    write_intervals("widest", found.band->widest, json);
    json.end_object();
  } else {
    json.value(nullptr);
  }
  json.member("ratio_at_low", found.value_low);
  json.member("ratio_at_high", found.value_high);
  json.member("here", found.here);
  json.member("ratio_here", found.here ? std::optional(found.value_here) : std::nullopt);
  json.end_object();
}

void write_answers(const std::vector<BreakEven>& answers, const std::string& compressor,
                   const std::string& baseline, JsonWriter& json) {
  json.key("answers").begin_array();
  for (const BreakEven& found : answers) write_answer(found, compressor, baseline, json);
  json.end_array();
}

void write_compressor(const CompressorBreakEvens& compressor, const std::string& baseline,
                      JsonWriter& json) {
  const auto seconds = [](std::optional<Seconds> time) {
    return time ? std::optional(time->count()) : std::nullopt;
  };
  json.begin_object();
  json.member("spelling", compressor.spelling);
  json.member("wire_bytes", compressor.wire_bytes.count());
  json.member("compression_ratio", compressor.ratio);
  json.member("encode_s", seconds(compressor.encode));
  json.member("decode_s", seconds(compressor.decode));
  json.member("cost_standing", compressor.standing);
  write_answers(compressor.answers, compressor.spelling, baseline, json);
  json.member("unanswered", compressor.unanswered);
  json.end_object();
}

}  // namespace

void write_text(const BreakEvenReport& report, std::ostream& out) {
  std::string start = setting_text(report) + ": ";
  if (report.as_table) {
    fmt::print(out, "{}{}.\n\n{}\n{}\n", std::exchange(start, ""), count_text(report),
               compressors_table(report), ranges_text(report));
  }
  for (const std::string& sentence : sentences_of(report)) {
    fmt::print(out, "{}{}\n", std::exchange(start, ""), sentence);
  }
  for (const std::string& line : reasons_of(report)) fmt::print(out, "{}\n", line);
  fmt::print(out, "\nTrace {}{} on {}; times are backward plus synchronisation.\n", report.trace,
             report.device.empty() ? "" : " of " + report.device, report.cluster);
  fmt::print(out, "\nAssumed:\n");
  for (const std::string& line : report.basis) fmt::print(out, "  {}\n", line);
  for (const std::string& warning : report.warnings) fmt::print(out, "Warning: {}\n", warning);
}

void write_json(const BreakEvenReport& report, std::ostream& out) {
  JsonWriter json(out);
  json.begin_object();
  json.member("trace", report.trace);
  json.member("device", report.device);
  json.member("cluster", report.cluster);
  json.member("batch", report.batch);
  json.member("workers", report.workers);
  json.member("bandwidth_bits_per_s", report.bandwidth.count());
  json.member("mode", report.mode);
  json.member("baseline", report.baseline);
  json.member("target_efficiency", report.target_efficiency);
  json.key("uncompressed").begin_object();
  write_answers(report.uncompressed, "", report.baseline, json);
  json.member("unanswered", report.unanswered);
  json.end_object();
  json.key("compressors").begin_array();
  for (const CompressorBreakEvens& compressor : report.compressors) {
    write_compressor(compressor, report.baseline, json);
  }
  json.end_array();
  json.member("assumptions", report.basis);
  json.member("warnings", report.warnings);
  json.end_object();
  out << '\n';
}

}  // namespace gradwire
