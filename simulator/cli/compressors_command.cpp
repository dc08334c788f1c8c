#include <fmt/format.h>
#include <fmt/ostream.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/unit_text.hpp"
#include "compressors/cost/cost_profile.hpp"
#include "compressors/spec/registry.hpp"
#include "simulator/cli/command.hpp"
#include "simulator/report/cost_profile_table.hpp"
#include "simulator/report/json_writer.hpp"
#include "simulator/report/text_table.hpp"

namespace gradwire {
namespace {

/// The kinds of collective that carry a scheme with its standard parameters, in order of issue.
std::vector<std::string_view> carriers_of(const SchemeEntry& entry) {
  std::vector<std::string_view> kinds;
  for (const Transfer& transfer : parse_scheme(entry.name)->transfers({{{64, 64}}, {{64}}})) {
    const std::string_view kind = name_of(transfer.kind);
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
  }
  return kinds;
}

/// Where a profile has a scheme's costs from: "recalled: 3 figures; else derived by the model".
std::string cost_origin(const CostProfile& profile, std::string_view scheme) {
  std::set<std::string> standings;
  int figures = 0;
  int alternatives = 0;
  for (const CostEntry& entry : profile.entries) {
    if (entry.scheme.name != scheme) continue;
    if (!entry.alternative_because.empty()) {
      ++alternatives;
      continue;
    }
    ++figures;
    standings.insert(entry.provenance.standing);
  }
  const auto counted = [](int count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
  };
  std::string text = profile.model ? "derived by the model" : "unknown";
  if (figures > 0) {
    text = fmt::format("{}: {}; else {}", fmt::join(standings, ", "), counted(figures, "figure"),
                       text);
  }
  if (alternatives > 0) text += fmt::format("; {}", counted(alternatives, "alternative"));
  return text;
}

std::string seconds_or_rate(double value, bool rate) {
  return rate ? fmt::format("{:.4g} GB/s", value * 1e-9) : format_duration(Seconds{value});
}

void print_model(const WorkModel& work_model) {
  TextTable model(
      {{"model", TextTable::Align::kLeft}, {""}, {"standing", TextTable::Align::kLeft}});
  const auto add = [&model](const std::string& what, double value, bool rate,
                            const FigureSource& provenance) {
    model.add_row({what, seconds_or_rate(value, rate), provenance.standing});
  };
  add("kernel launch", work_model.launch_s.value, false, work_model.launch_s.provenance);
  add("device memory", work_model.dram_bytes_per_s.value, true,
      work_model.dram_bytes_per_s.provenance);
  add("wait of the host", work_model.host_sync_s.value, false, work_model.host_sync_s.provenance);
  for (const SchemeFigures& own : work_model.schemes) {
    if (own.fixed.count() > 0.0) {
      add(own.scheme + ", fixed", own.fixed.count(), false, own.provenance);
    }
    if (own.encode_dram_bytes_per_s.has_value()) {
      add(own.scheme + ", encoding", *own.encode_dram_bytes_per_s, true, own.provenance);
    }
  }
  std::cout << model.text();
}

void print_figures(const CostProfile& profile) {
  TextTable figures({{"figure", TextTable::Align::kLeft},
                     {"elements"},
                     {"tensors"},
                     {"ranks"},
                     {"encode"},
                     {"decode"},
                     {"standing", TextTable::Align::kLeft}});
  for (const CostEntry& entry : profile.entries) {
    figures.add_row(
        {entry.scheme.spelling(), fmt::format("{}", entry.elements.count()),
         fmt::format("{}", entry.tensors),
         entry.ranks == 0 ? "any" : fmt::format("{}", entry.ranks), format_duration(entry.encode),
         format_duration(entry.decode),
         entry.provenance.standing + (entry.alternative_because.empty() ? "" : ", alternative")});
  }
  std::cout << figures.text() << '\n';
}

/// A sweep has hundreds of figures; of each scheme the largest exchange is shown.
void print_measured(const CostProfile& profile) {
  const MeasuringContext& measuring = *profile.measuring;
  fmt::print(std::cout, "Measured {} on the {} {} ({}): {}.\n", measuring.date,
             name_of(measuring.machine.kind), measuring.machine.name,
             fmt::join(measuring.machine.software, ", "), measuring.method);
  std::cout << measured_table(largest_of_each(profile.entries)).text() << '\n';
}

void write_profile_text(const CostProfile& profile) {
  fmt::print(std::cout, "\nCosts on devices named like {}: {}\n",
             fmt::join(profile.device_patterns, ", "), profile.name);
  TextTable origins(
      {{"scheme", TextTable::Align::kLeft}, {"encode and decode times", TextTable::Align::kLeft}});
  for (const SchemeEntry& entry : schemes()) {
    const bool nothing = parse_scheme(entry.name)->work({{{64, 64}}}, 2) == DeviceWork{};
    origins.add_row(
        {std::string{entry.name}, nothing ? "nothing to do" : cost_origin(profile, entry.name)});
  }
  std::cout << origins.text() << '\n';
  if (profile.measuring) {
    print_measured(profile);
  } else if (!profile.entries.empty()) {
    print_figures(profile);
  }
  if (profile.model) print_model(*profile.model);
}

void write_text(const std::vector<CostProfile>& profiles) {
  TextTable table({{"scheme", TextTable::Align::kLeft},
                   {"carried by", TextTable::Align::kLeft},
                   {"parameters", TextTable::Align::kLeft}});
  for (const SchemeEntry& entry : schemes()) {
    table.add_row({std::string{entry.name}, fmt::format("{}", fmt::join(carriers_of(entry), ", ")),
                   entry.parameters.empty() ? "none" : std::string{entry.parameters}});
  }
  std::cout << table.text() << '\n';
  for (const SchemeEntry& entry : schemes()) {
    fmt::print(std::cout, "{}: {}.\n", entry.name, entry.summary);
  }
  for (const CostProfile& profile : profiles) write_profile_text(profile);
}

void write_provenance(JsonWriter& json, const FigureSource& provenance) {
  json.member("standing", provenance.standing);
  json.member("source", provenance.source);
}

void write_figure(JsonWriter& json, std::string_view name, const ModelFigure& figure) {
  json.key(name).begin_object();
  json.member("value", figure.value);
  write_provenance(json, figure.provenance);
  json.end_object();
}

void write_model(JsonWriter& json, const WorkModel& model) {
  json.key("model").begin_object();
  write_figure(json, "launch_s", model.launch_s);
  write_figure(json, "dram_bytes_per_s", model.dram_bytes_per_s);
  write_figure(json, "host_sync_s", model.host_sync_s);
  json.key("schemes").begin_array();
  for (const SchemeFigures& own : model.schemes) {
    json.begin_object();
    json.member("scheme", own.scheme);
    json.member("fixed_s", own.fixed.count());
    json.member("encode_dram_bytes_per_s", own.encode_dram_bytes_per_s);
    write_provenance(json, own.provenance);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

void write_spread(JsonWriter& json, const MeasuredSpread& spread) {
  json.begin_object();
  json.member("samples", spread.samples);
  json.member("encode_low_s", spread.encode_low.count());
  json.member("encode_high_s", spread.encode_high.count());
  json.member("decode_low_s", spread.decode_low.count());
  json.member("decode_high_s", spread.decode_high.count());
  json.end_object();
}

void write_measuring(JsonWriter& json, const MeasuringContext& measuring) {
  json.begin_object();
  json.member("device_kind", name_of(measuring.machine.kind));
  json.member("device", measuring.machine.name);
  json.member("clocks", measuring.machine.clocks);
  json.key("software").begin_array(JsonLayout::kOneLine);
  for (const std::string& software : measuring.machine.software) json.value(software);
  json.end_array();
  json.member("implementation", measuring.implementation);
  json.member("method", measuring.method);
  json.member("date", measuring.date);
  json.key("left_out").begin_array();
  for (const std::string& line : measuring.left_out) json.value(line);
  json.end_array();
  json.end_object();
}

void write_entry(JsonWriter& json, const CostEntry& entry) {
  const auto text_or_null = [](const std::string& text) {
    return text.empty() ? std::optional<std::string_view>{} : std::optional<std::string_view>{text};
  };
  json.begin_object();
  json.member("scheme", entry.scheme.spelling());
  json.member("elements", entry.elements.count());
  json.member("tensors", entry.tensors);
  json.member("ranks", entry.ranks == 0 ? std::optional<int>{} : std::optional<int>{entry.ranks});
  json.member("encode_s", entry.encode.count());
  json.member("decode_s", entry.decode.count());
  json.member("split", text_or_null(entry.split_source));
  json.member("alternative_because", text_or_null(entry.alternative_because));
  json.member("date", entry.date);
  write_provenance(json, entry.provenance);
  json.key("spread");
  entry.spread ? write_spread(json, *entry.spread) : (void)json.value(nullptr);
  json.end_object();
}

void write_json(const std::vector<CostProfile>& profiles) {
  JsonWriter json(std::cout);
  json.begin_object();
  json.key("schemes").begin_array();
  for (const SchemeEntry& entry : schemes()) {
    json.begin_object();
    json.member("name", entry.name);
    json.member("standard", parse_scheme(entry.name)->spelling());
    json.member("parameters", entry.parameters);
    json.member("summary", entry.summary);
    json.key("carried_by").begin_array(JsonLayout::kOneLine);
    for (const std::string_view kind : carriers_of(entry)) json.value(kind);
    json.end_array();
    json.end_object();
  }
  json.end_array();
  json.key("cost_profiles").begin_array();
  for (const CostProfile& profile : profiles) {
    json.begin_object();
    json.member("name", profile.name);
    json.key("device_patterns").begin_array(JsonLayout::kOneLine);
    for (const std::string& pattern : profile.device_patterns) json.value(pattern);
    json.end_array();
    if (profile.model) {
      write_model(json, *profile.model);
    } else {
      json.key("model").value(nullptr);
    }
    json.key("measuring");
    profile.measuring ? write_measuring(json, *profile.measuring) : (void)json.value(nullptr);
    json.key("entries").begin_array();
    for (const CostEntry& entry : profile.entries) write_entry(json, entry);
    json.end_array();
    json.end_object();
  }
  json.end_array();
  json.end_object();
  std::cout << '\n';
}

}  // namespace

void add_compressors_command(CLI::App& app) {
  struct Options {
    bool json = false;
    std::string cost_profile;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "compressors", "The known ways of compressing gradients, and where their costs come from");
  command->add_flag("--json", options->json, "The same as one JSON object on standard output");
  command->add_option("--cost-profile", options->cost_profile,
                      "Show this .txtpb instead of the cost profiles that come with the program");
  command->callback([options] {
    const std::vector<CostProfile> profiles =
        options->cost_profile.empty()
            ? cost_profiles()
            : std::vector<CostProfile>{read_cost_profile(options->cost_profile)};
    options->json ? write_json(profiles) : write_text(profiles);
  });
}

}  // namespace gradwire
