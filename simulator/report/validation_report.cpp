#include "simulator/report/validation_report.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cmath>

#include "base/unit_text.hpp"
#include "simulator/report/csv_writer.hpp"
#include "simulator/report/text_table.hpp"

namespace gradwire {
namespace {

std::string percent(double share) { return fmt::format("{:+.2f}", share * 100.0); }

/// A share without sign; closed forms are met to many digits, measurements are not.
std::string percent_of(double share) {
  return share == 0.0 || share >= 5e-5 ? fmt::format("{:.2f} %", share * 100.0)
                                       : fmt::format("{:.1e} %", share * 100.0);
}

std::string range_of(const Measurement& measured) {
  if (!measured.low) return "-";
  return fmt::format("{:.4g} .. {:.4g}", measured.low->count(), measured.high->count());
}

void write_cases(const SetOutcome& outcome, std::ostream& out) {
  std::vector<TextTable::Column> columns = {
      {"case", TextTable::Align::kLeft}, {"measured s"}, {"range s"}};
  for (const std::string& model : outcome.models) columns.push_back({model + " s"});
  for (const std::string& model : outcome.models) columns.push_back({model + " %"});
  TextTable table(columns);
  for (const CaseOutcome& one : outcome.cases) {
    if (!one.failure.empty()) continue;
    std::vector<std::string> cells = {one.name, fmt::format("{:.4g}", one.measured.median.count()),
                                      range_of(one.measured)};
    for (const CaseAnswer& answer : one.answers) {
      cells.push_back(fmt::format("{:.4g}", answer.time.count()));
    }
    for (const CaseAnswer& answer : one.answers) {
      // What the range forgives is shown all the same.
      cells.push_back(answer.scored == answer.raw
                          ? percent(answer.raw)
                          : fmt::format("({}) {}", percent(answer.raw), percent(answer.scored)));
    }
    table.add_row(std::move(cells));
  }
  fmt::print(out, "{}\n", table.text());
}

void write_summaries(const SetOutcome& outcome, std::ostream& out) {
  TextTable table({{"error", TextTable::Align::kLeft}, {"median"}, {"p90"}, {"worst"}});
  for (std::size_t model = 0; model < outcome.models.size(); ++model) {
    const ErrorSummary& summary = outcome.summaries[model];
    table.add_row({outcome.models[model], percent_of(summary.median), percent_of(summary.p90),
                   percent_of(summary.worst)});
  }
  out << table.text();
  if (outcome.baseline_efficiency) {
    fmt::print(out,
               "baseline: ready times, buckets in order, a ring at {:.1f} % of the links' rate, "
               "which is fitted to these very cases\n",
               *outcome.baseline_efficiency * 100.0);
  }
}

void write_aim(const SetOutcome& outcome, std::ostream& out) {
  bool missed = false;
  for (const AimCheck& check : outcome.aim) {
    missed = missed || !check.met();
    fmt::print(out, "Aim: {} of {} at most {}: {}\n", check.figure, outcome.models[outcome.main],
               percent_of(check.wanted),
               check.met()
                   ? fmt::format("met with {}", percent_of(check.reached))
                   : fmt::format("missed by {} with {}", percent_of(check.reached - check.wanted),
                                 percent_of(check.reached)));
  }
  if (!missed && (!outcome.aim.empty() || outcome.set.likely_cause.empty())) return;
  fmt::print(out, "Most likely cause: {}\n",
             outcome.set.likely_cause.empty() ? "nobody has looked yet" : outcome.set.likely_cause);
}

void write_basis(const ValidationSet& set, std::ostream& out) {
  if (!set.source.empty()) fmt::print(out, "Measured: {}\n", set.source);
  if (!set.efficiency_source.empty()) {
    fmt::print(out, "Assumed: {:.1f} % of the links' rate is payload ({})\n",
               set.payload_efficiency * 100.0, set.efficiency_source);
  }
  if (set.random) fmt::print(out, "Answers: {}\n", set.random->source);
  for (const std::string& reason : set.skipped) fmt::print(out, "Not scored: {}\n", reason);
}

/// Random cells: only those that are furthest off are worth a line.
void write_furthest(const SetOutcome& outcome, std::ostream& out) {
  for (std::size_t model = 0; model < outcome.models.size(); ++model) {
    const auto furthest =
        std::max_element(outcome.cases.begin(), outcome.cases.end(),
                         [&](const CaseOutcome& a, const CaseOutcome& b) {
                           return std::abs(a.answers[model].raw) < std::abs(b.answers[model].raw);
                         });
    fmt::print(out, "{} is furthest off, by {}, in: {}\n", outcome.models[model],
               percent_of(std::abs(furthest->answers[model].raw)), furthest->name);
  }
}

}  // namespace

void write_validation_text(const SetOutcome& outcome, std::ostream& out) {
  const ValidationSet& set = outcome.set;
  const std::size_t played = outcome.cases.size() - outcome.failures();
  fmt::print(out, "Set {}: {}\n{} of {} cases played\n\n", set.name, set.description, played,
             outcome.cases.size());
  for (const CaseOutcome& one : outcome.cases) {
    if (!one.failure.empty()) fmt::print(out, "Failed: {}: {}\n", one.name, one.failure);
  }
  if (played > 0 && !set.random) write_cases(outcome, out);
  if (played > 0) write_summaries(outcome, out);
  if (played > 0 && set.random) write_furthest(outcome, out);
  if (played > 0) write_aim(outcome, out);
  write_basis(set, out);
  out << '\n';
}

void write_validation_csv(const std::vector<SetOutcome>& outcomes, std::ostream& out) {
  CsvWriter csv(
      out, {"set", "case", "scores", "model", "measured_s", "measured_low_s", "measured_high_s",
            "samples", "predicted_s", "relative_error", "scored_error", "source", "failure"});
  const auto seconds = [](std::optional<Seconds> time) {
    return time ? std::optional<double>(time->count()) : std::nullopt;
  };
  for (const SetOutcome& outcome : outcomes) {
    for (const CaseOutcome& one : outcome.cases) {
      for (std::size_t model = 0; model < outcome.models.size(); ++model) {
        const bool answered = one.failure.empty();
        csv.cell(outcome.set.name).cell(one.name).cell(name_of(one.measured.scores));
        csv.cell(outcome.models[model]).cell(one.measured.median.count());
        csv.cell(seconds(one.measured.low)).cell(seconds(one.measured.high));
        csv.cell(one.measured.samples);
        const auto figure = [&](double value) {
          return answered ? std::optional<double>(value) : std::nullopt;
        };
        const CaseAnswer answer = answered ? one.answers[model] : CaseAnswer{};
        csv.cell(figure(answer.time.count())).cell(figure(answer.raw)).cell(figure(answer.scored));
        csv.cell(one.measured.source).cell(one.failure);
        csv.end_row();
      }
    }
  }
}

}  // namespace gradwire
