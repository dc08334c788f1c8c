#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "base/input_file.hpp"
#include "base/text_proto.hpp"
#include "compressors/cost/cost_profile.hpp"
#include "compressors/schema/cost_profile.pb.h"
#include "compressors/spec/registry.hpp"

namespace gradwire {
namespace {

[[noreturn]] void refuse(const std::string& where, const std::string& what) {
  throw InputError(fmt::format("{}: {}", where, what));
}

FigureSource read_source(schema::device::Standing standing, const std::string& source,
                         const std::string& where) {
  if (standing == schema::device::STANDING_UNSPECIFIED ||
      !schema::device::Standing_IsValid(standing)) {
    refuse(where, "has no standing; accepted: MEASURED, PUBLISHED, RECALLED, DERIVED, ASSUMED");
  }
  if (source.empty()) {
    refuse(where, "has no source; say where the figure comes from (source: \"...\")");
  }
  std::string text = schema::device::Standing_Name(standing);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return static_cast<char>(c - 'A' + 'a'); });
  return {text, source};
}

ModelFigure read_figure(const schema::cost::Figure& in, const std::string& where) {
  if (!(in.value() > 0.0) || !std::isfinite(in.value())) {
    refuse(where, fmt::format("value {} found; more than 0 is accepted", in.value()));
  }
  return {in.value(), read_source(in.standing(), in.source(), where)};
}

double read_seconds(double value, const std::string& where) {
  if (!(value >= 0.0) || !std::isfinite(value)) {
    refuse(where, fmt::format("{} found; 0 or more seconds are accepted", value));
  }
  return value;
}

SchemeFigures read_scheme_figures(const schema::cost::SchemeFigures& in, const std::string& file) {
  const std::string where = fmt::format("{}: model: scheme \"{}\"", file, in.name());
  const auto known = [&in](const SchemeEntry& entry) { return entry.name == in.name(); };
  if (std::none_of(schemes().begin(), schemes().end(), known)) refuse(where, "is not known");
  SchemeFigures out;
  out.scheme = in.name();
  out.fixed = Seconds{read_seconds(in.fixed_s(), where + ": fixed_s")};
  if (in.has_encode_dram_bytes_per_s()) {
    const double rate = in.encode_dram_bytes_per_s();
    if (!(rate > 0.0) || !std::isfinite(rate)) {
      refuse(where,
             fmt::format("encode_dram_bytes_per_s: {} found; more than 0 is accepted", rate));
    }
    out.encode_dram_bytes_per_s = rate;
  }
  out.provenance = read_source(in.standing(), in.source(), where);
  return out;
}

WorkModel read_model(const schema::cost::Model& in, const std::string& file) {
  WorkModel out;
  out.launch_s = read_figure(in.launch_s(), file + ": model: launch_s");
  out.dram_bytes_per_s = read_figure(in.dram_bytes_per_s(), file + ": model: dram_bytes_per_s");
  out.host_sync_s = read_figure(in.host_sync_s(), file + ": model: host_sync_s");
  for (const auto& scheme : in.scheme()) {
    SchemeFigures figures = read_scheme_figures(scheme, file);
    if (out.figures_of(figures.scheme) != nullptr) {
      refuse(file, fmt::format("model: scheme \"{}\" stands there twice", figures.scheme));
    }
    out.schemes.push_back(std::move(figures));
  }
  return out;
}

/// The parameters that `text` gives, in the scheme's own spelling of their values.
SchemeText read_scheme(const std::string& text, const std::string& where) {
  try {
    SchemeText known = scheme_text_of(*parse_scheme(text));
    const std::size_t colon = text.find(':');
    const std::string given = colon == std::string::npos ? "" : "," + text.substr(colon + 1);
    std::erase_if(known.parameters, [&given](const auto& parameter) {
      return given.find("," + parameter.first + "=") == std::string::npos;
    });
    return known;
  } catch (const InputError& error) {
    refuse(where, error.what());
  }
}

void read_times(const schema::cost::Entry& in, const std::string& where, CostEntry& out) {
  if (!in.has_encode_and_decode_s()) {
    if (!in.has_encode_s() || !in.has_decode_s() || in.has_encode_share()) {
      refuse(where, "encode_s and decode_s, or encode_and_decode_s with encode_share, are needed");
    }
    out.encode = Seconds{read_seconds(in.encode_s(), where + ": encode_s")};
    out.decode = Seconds{read_seconds(in.decode_s(), where + ": decode_s")};
    out.split_source = in.split_source();
    return;
  }
  if (in.has_encode_s() || in.has_decode_s()) {
    refuse(where, "encode_and_decode_s stands beside encode_s or decode_s; one form is accepted");
  }
  const double sum = read_seconds(in.encode_and_decode_s(), where + ": encode_and_decode_s");
  const double share = in.encode_share();
  if (!in.has_encode_share() || !(share >= 0.0 && share <= 1.0) || in.split_source().empty()) {
    refuse(where,
           "encode_and_decode_s needs encode_share, from 0 to 1, and split_source, where the share "
           "comes from");
  }
  out.encode = Seconds{sum * share};
  out.decode = Seconds{sum * (1.0 - share)};
  out.split_source =
      fmt::format("{:.1f} % of the sum counted as encode: {}", share * 100.0, in.split_source());
}

/// "low <= value <= high", of one half.
void check_within(Seconds low, Seconds value, Seconds high, const std::string& where) {
  if (low.count() >= 0.0 && low <= value && value <= high && std::isfinite(high.count())) return;
  refuse(where, fmt::format("{} to {} s found around {} s; 0 <= low <= the figure <= high is "
                            "accepted",
                            low.count(), high.count(), value.count()));
}

MeasuredSpread read_spread(const schema::cost::Spread& in, const CostEntry& entry,
                           const std::string& where) {
  if (entry.provenance.standing != "measured") {
    refuse(where, fmt::format("found beside a figure that is {}; a measured one has a spread",
                              entry.provenance.standing));
  }
  if (in.samples() < 1) {
    refuse(where, fmt::format("samples: {} found; 1 or more is accepted", in.samples()));
  }
  MeasuredSpread out{in.samples(), Seconds{in.encode_low_s()}, Seconds{in.encode_high_s()},
                     Seconds{in.decode_low_s()}, Seconds{in.decode_high_s()}};
  check_within(out.encode_low, entry.encode, out.encode_high, where + ": encode");
  check_within(out.decode_low, entry.decode, out.decode_high, where + ": decode");
  return out;
}

CostEntry read_entry(const schema::cost::Entry& in, const std::string& where) {
  CostEntry out;
  out.scheme = read_scheme(in.scheme(), where);
  if (in.elements() < 1 || in.tensors() < 1 || in.ranks() < 0) {
    refuse(where, fmt::format("elements {}, tensors {}, ranks {} found; 1 or more elements and "
                              "tensors, and 0 (any) or more ranks are accepted",
                              in.elements(), in.tensors(), in.ranks()));
  }
  out.elements = Elements{in.elements()};
  out.tensors = in.tensors();
  out.ranks = in.ranks();
  read_times(in, where, out);
  out.provenance = read_source(in.standing(), in.source(), where);
  if (in.date().empty()) refuse(where, "has no date; say when the figure was made (date: \"...\")");
  out.date = in.date();
  out.alternative_because = in.alternative_because();
  if (in.has_spread()) out.spread = read_spread(in.spread(), out, where + ": spread");
  return out;
}

MeasuringContext read_measuring(const schema::cost::Measuring& in, const std::string& where) {
  const auto needed = [&where](const std::string& text, const char* field) {
    if (text.empty()) refuse(where, fmt::format("{}: is missing", field));
    return text;
  };
  MeasuringContext out;
  switch (in.device_kind()) {
    case schema::cost::CPU:
      out.machine.kind = DeviceKind::kCpu;
      break;
    case schema::cost::GPU:
      out.machine.kind = DeviceKind::kGpu;
      break;
    default:
      refuse(where, "device_kind: is missing; accepted: CPU, GPU");
  }
  out.machine.name = needed(in.device(), "device");
  out.machine.clocks = in.clocks();
  out.machine.software.assign(in.software().begin(), in.software().end());
  out.implementation = needed(in.implementation(), "implementation");
  out.method = needed(in.method(), "method");
  out.date = needed(in.date(), "date");
  out.left_out.assign(in.left_out().begin(), in.left_out().end());
  return out;
}

bool same_question(const CostEntry& a, const CostEntry& b) {
  return a.scheme == b.scheme && a.elements == b.elements && a.tensors == b.tensors &&
         a.ranks == b.ranks && a.alternative_because.empty() == b.alternative_because.empty();
}

}  // namespace

CostProfile parse_cost_profile(const std::string& text, const std::string& name) {
  schema::cost::CostProfile message;
  parse_text_proto(text, name, message);
  if (message.name().empty()) refuse(name, "name: is missing");
  CostProfile profile;
  profile.name = message.name();
  profile.device_patterns.assign(message.device_patterns().begin(),
                                 message.device_patterns().end());
  const auto& patterns = profile.device_patterns;
  if (patterns.empty() || std::find(patterns.begin(), patterns.end(), "") != patterns.end()) {
    refuse(name, "device_patterns: at least one, none of them empty, is needed (such as \"V100\")");
  }
  if (message.has_model()) profile.model = read_model(message.model(), name);
  if (message.has_measuring()) {
    profile.measuring = read_measuring(message.measuring(), name + ": measuring");
  }
  for (const auto& in : message.entry()) {
    const std::string where =
        fmt::format("{}: entry {} ({})", name, profile.entries.size() + 1, in.scheme());
    CostEntry entry = read_entry(in, where);
    for (const CostEntry& other : profile.entries) {
      if (same_question(entry, other)) refuse(where, "answers the same question as one before it");
    }
    profile.entries.push_back(std::move(entry));
  }
  return profile;
}

CostProfile read_cost_profile(const std::filesystem::path& path) {
  return parse_cost_profile(read_whole_file(path), path.string());
}

}  // namespace gradwire
