#include "simulator/report/validation_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/unit_text.hpp"
#include "simulator/report/study_conclusions.hpp"

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

std::string error_of(const CaseAnswer& answer) {
  if (!answer.answered()) return "-";
  if (answer.scored == answer.raw) return percent(answer.raw);
  return fmt::format("({}) {}", percent(answer.raw), percent(answer.scored));
}

std::string aim_of(const SetOutcome& outcome) {
  if (outcome.aim.empty()) return "none";
  const auto met = std::count_if(outcome.aim.begin(), outcome.aim.end(),
                                 [](const AimCheck& check) { return check.met(); });
  return met == static_cast<std::ptrdiff_t>(outcome.aim.size())
             ? "met"
             : fmt::format("{} of {} met", met, outcome.aim.size());
}

std::string found_of(std::size_t found, std::size_t all) {
  return fmt::format("{}/{}", found, all);
}

}  // namespace

TextTable overview_table(const std::vector<SetOutcome>& outcomes) {
  TextTable table({{"set", TextTable::Align::kLeft},
                   {"model", TextTable::Align::kLeft},
                   {"cases"},
                   {"median"},
                   {"p90"},
                   {"worst"},
                   {"baseline median"},
                   {"balanced accuracy"},
                   {"aim", TextTable::Align::kLeft}});
  for (const SetOutcome& outcome : outcomes) {
    if (outcome.cases.empty() || outcome.answered[outcome.main] == 0) continue;
    const ErrorSummary& errors = outcome.summaries[outcome.main];
    const auto accuracy = outcome.verdicts.empty()
                              ? std::nullopt
                              : outcome.verdicts[outcome.main].balanced_accuracy();
    table.add_row({outcome.set.name, outcome.models[outcome.main],
                   std::to_string(outcome.answered[outcome.main]), percent_of(errors.median),
                   percent_of(errors.p90), percent_of(errors.worst),
                   outcome.baseline_efficiency ? percent_of(outcome.summaries.back().median) : "-",
                   accuracy ? percent_of(*accuracy) : "-", aim_of(outcome)});
  }
  return table;
}

TextTable case_table(const SetOutcome& outcome) {
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
      cells.push_back(answer.answered() ? fmt::format("{:.4g}", answer.time.count()) : "-");
    }
    for (const CaseAnswer& answer : one.answers) cells.push_back(error_of(answer));
    table.add_row(std::move(cells));
  }
  return table;
}

TextTable error_table(const SetOutcome& outcome) {
  TextTable table({{"error", TextTable::Align::kLeft}, {"cases"}, {"median"}, {"p90"}, {"worst"}});
  for (std::size_t model = 0; model < outcome.models.size(); ++model) {
    const ErrorSummary& summary = outcome.summaries[model];
    const bool any = outcome.answered[model] > 0;
    table.add_row({outcome.models[model], std::to_string(outcome.answered[model]),
                   any ? percent_of(summary.median) : "-", any ? percent_of(summary.p90) : "-",
                   any ? percent_of(summary.worst) : "-"});
  }
  return table;
}

TextTable group_table(const SetOutcome& outcome) {
  TextTable table({{"group", TextTable::Align::kLeft}, {"cases"}, {"median"}, {"p90"}, {"worst"}});
  std::vector<std::pair<std::string, std::vector<double>>> groups;
  for (const CaseOutcome& one : outcome.cases) {
    if (one.group.empty() || !one.failure.empty()) continue;
    if (!one.answers[outcome.main].answered()) continue;
    const auto known = std::find_if(groups.begin(), groups.end(),
                                    [&](const auto& group) { return group.first == one.group; });
    auto& errors =
        known == groups.end() ? groups.emplace_back(one.group, std::vector<double>{}) : *known;
    errors.second.push_back(one.answers[outcome.main].scored);
  }
  for (const auto& [name, errors] : groups) {
    const ErrorSummary summary = summarize(errors);
    table.add_row({name, std::to_string(errors.size()), percent_of(summary.median),
                   percent_of(summary.p90), percent_of(summary.worst)});
  }
  return table;
}

TextTable verdict_table(const SetOutcome& outcome) {
  TextTable table({{"verdict", TextTable::Align::kLeft},
                   {"helps: found"},
                   {"does not: found"},
                   {"right"},
                   {"balanced"}});
  for (std::size_t model = 0; model < outcome.models.size(); ++model) {
    const VerdictScore& score = outcome.verdicts[model];
    const std::optional<double> balanced = score.balanced_accuracy();
    const bool any = score.helps + score.harms > 0;
    table.add_row({outcome.models[model], found_of(score.helps_found, score.helps),
                   found_of(score.harms_found, score.harms),
                   any ? percent_of(score.accuracy()) : "-",
                   balanced ? percent_of(*balanced) : "-"});
  }
  return table;
}

TextTable claim_table(const SetOutcome& outcome) {
  std::vector<ClaimResult> results;
  for (const JudgedClaim& judged : outcome.claims) {
    results.push_back({&judged.claim, judged.ours, judged.distance});
  }
  return claim_table(results);
}

std::string verdict_sentence(const SetOutcome& outcome) {
  const VerdictScore& score = outcome.verdicts[outcome.main];
  return fmt::format(
      "{} pairs with and without compression: {} faster and {} slower by more than 3 %, which are "
      "scored; {} within 10 % of break-even. Always the commoner answer: {} right, 50.00 % "
      "balanced",
      score.pairs, score.helps, score.harms, score.near, percent_of(score.majority()));
}

std::string baseline_sentence(const SetOutcome& outcome) {
  if (!outcome.baseline_efficiency) return "";
  return fmt::format(
      "baseline: ready times, buckets in order, a ring at {:.1f} % of the links' rate, which is "
      "fitted to these very cases",
      *outcome.baseline_efficiency * 100.0);
}

std::vector<std::string> aim_sentences(const SetOutcome& outcome) {
  std::vector<std::string> sentences;
  bool missed = false;
  for (const AimCheck& check : outcome.aim) {
    missed = missed || !check.met();
    sentences.push_back(
        fmt::format("Aim: {} of {} at {} {}: {}", check.figure, outcome.models[outcome.main],
                    check.at_least ? "least" : "most", percent_of(check.wanted),
                    check.met() ? fmt::format("met with {}", percent_of(check.reached))
                                : fmt::format("missed by {} with {}",
                                              percent_of(std::abs(check.reached - check.wanted)),
                                              percent_of(check.reached))));
  }
  if (missed || (outcome.aim.empty() && !outcome.set.likely_cause.empty())) {
    sentences.push_back("Most likely cause: " + (outcome.set.likely_cause.empty()
                                                     ? std::string("nobody has looked yet")
                                                     : outcome.set.likely_cause));
  }
  return sentences;
}

std::vector<std::string> furthest_sentences(const SetOutcome& outcome) {
  std::vector<std::string> sentences;
  for (std::size_t model = 0; model < outcome.models.size(); ++model) {
    const auto furthest =
        std::max_element(outcome.cases.begin(), outcome.cases.end(),
                         [&](const CaseOutcome& a, const CaseOutcome& b) {
                           return std::abs(a.answers[model].raw) < std::abs(b.answers[model].raw);
                         });
    sentences.push_back(fmt::format("{} is furthest off, by {}, in: {}", outcome.models[model],
                                    percent_of(std::abs(furthest->answers[model].raw)),
                                    furthest->name));
  }
  return sentences;
}

std::vector<std::string> basis_sentences(const SetOutcome& outcome) {
  const ValidationSet& set = outcome.set;
  std::vector<std::string> sentences;
  if (!set.source.empty()) sentences.push_back("Measured: " + set.source);
  for (const MeasuredNetwork& network : set.networks) {
    if (network.efficiency_source.empty()) continue;
    sentences.push_back(fmt::format(
        "Assumed: {:.1f} % of the links' rate is payload{} ({})", network.payload_efficiency * 100,
        network.name.empty() ? "" : " on " + network.name, network.efficiency_source));
  }
  if (!set.overlap_slowdown_source.empty()) {
    sentences.push_back(
        fmt::format("Assumed: compute beside communication takes {:.2f} times as long ({})",
                    set.overlap_slowdown, set.overlap_slowdown_source));
  }
  for (const std::string& what : set.assumed) sentences.push_back("Assumed: " + what);
  for (const std::string& what : set.calibrated) {
    sentences.push_back("Calibrated on what is not scored: " + what);
  }
  if (set.random) sentences.push_back("Answers: " + set.random->source);
  for (const CollectiveNetwork& network : set.collective_networks) {
    sentences.push_back(fmt::format(
        "Fitted on what is not scored: {}: {}{}", network.name, network.source,
        network.intra_source.empty() ? "" : "; assumed inside its nodes: " + network.intra_source));
  }
  for (const std::string& reason : set.skipped) sentences.push_back("Not scored: " + reason);
  return sentences;
}

}  // namespace gradwire
