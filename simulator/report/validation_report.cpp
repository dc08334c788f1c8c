#include "simulator/report/validation_report.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "simulator/report/csv_writer.hpp"
#include "simulator/report/validation_tables.hpp"

namespace gradwire {
namespace {

void write_lines(const std::vector<std::string>& lines, std::ostream& out) {
  for (const std::string& line : lines) out << line << '\n';
}

void write_answers(const SetOutcome& outcome, std::ostream& out) {
  if (!outcome.set.random) fmt::print(out, "{}\n", case_table(outcome).text());
  out << error_table(outcome).text();
  const TextTable groups = group_table(outcome);
  if (!groups.rows().empty()) {
    fmt::print(out, "\nBy group, {}:\n{}", outcome.models[outcome.main], groups.text());
  }
  if (outcome.set.random) write_lines(furthest_sentences(outcome), out);
  if (outcome.baseline_efficiency) out << baseline_sentence(outcome) << '\n';
  if (!outcome.verdicts.empty()) {
    if (outcome.verdicts[outcome.main].balanced_accuracy()) {
      fmt::print(out, "\n{}", verdict_table(outcome).text());
    }
    out << verdict_sentence(outcome) << '\n';
  }
  write_lines(aim_sentences(outcome), out);
}

}  // namespace

void write_validation_text(const SetOutcome& outcome, std::ostream& out) {
  const ValidationSet& set = outcome.set;
  fmt::print(out, "Set {}: {}\n", set.name, set.description);
  if (!outcome.claims.empty()) {
    fmt::print(out, "No measurement, so no error and no median\n\n{}", claim_table(outcome).text());
  } else {
    const std::size_t played = outcome.cases.size() - outcome.failures();
    fmt::print(out, "{} of {} cases played\n\n", played, outcome.cases.size());
    for (const CaseOutcome& one : outcome.cases) {
      if (!one.failure.empty()) fmt::print(out, "Failed: {}: {}\n", one.name, one.failure);
    }
    if (played > 0) write_answers(outcome, out);
  }
  write_lines(basis_sentences(outcome), out);
  out << '\n';
}

void write_validation_overview(const std::vector<SetOutcome>& outcomes, std::ostream& out) {
  out << overview_table(outcomes).text();
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
        const CaseAnswer answer = one.failure.empty() ? one.answers[model] : CaseAnswer{};
        const bool answered = one.failure.empty() && answer.answered();
        csv.cell(outcome.set.name).cell(one.name).cell(name_of(one.measured.scores));
        csv.cell(outcome.models[model]).cell(one.measured.median.count());
        csv.cell(seconds(one.measured.low)).cell(seconds(one.measured.high));
        csv.cell(one.measured.samples);
        const auto figure = [&](double value) {
          return answered ? std::optional<double>(value) : std::nullopt;
        };
        csv.cell(figure(answer.time.count())).cell(figure(answer.raw)).cell(figure(answer.scored));
        csv.cell(one.measured.source).cell(one.failure.empty() ? answer.refusal : one.failure);
        csv.end_row();
      }
    }
  }
}

}  // namespace gradwire
