#include "simulator/report/validation_page.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "simulator/report/validation_tables.hpp"

namespace gradwire {
namespace {

constexpr const char* kHead = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>gradwire: predictions beside measurements</title>
<style>
:root { color-scheme: light dark; --line: #8884; --dot: #2266bb; --good: #1a7f37; --bad: #b42318; }
@media (prefers-color-scheme: dark) { :root { --dot: #79b8ff; --good: #56d364; --bad: #ff7b72; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 1rem 0; }
th, td { padding: .15rem .6rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
.left { text-align: left; }
.met { color: var(--good); } .missed { color: var(--bad); }
.small { font-size: .85rem; opacity: .85; }
svg { width: 100%; max-width: 60rem; height: auto; } svg text { font-size: 12px; fill: currentColor; }
svg circle { fill: var(--dot); fill-opacity: .55; } svg line { stroke: var(--line); }
</style></head><body>
<h1>Predictions beside measurements</h1>
<p>An error is the distance of a prediction from a measured time, as a share of it; below 0 the prediction is too short. Inside the
range of the samples it counts as none. No constant is fitted to a case; the baseline's one efficiency is.</p>
)";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char letter : text) {
    switch (letter) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += letter;
    }
  }
  return out;
}

void write_table(const TextTable& table, std::ostream& out) {
  const auto& columns = table.columns();
  const auto cell = [&](const char* tag, std::size_t column, const std::string& text) {
    const bool left = columns[column].align == TextTable::Align::kLeft;
    fmt::print(out, "<{0}{1}>{2}</{0}>", tag, left ? " class=\"left\"" : "", escaped(text));
  };
  out << "<div class=\"scroll\"><table>\n<tr>";
  for (std::size_t i = 0; i < columns.size(); ++i) cell("th", i, columns[i].title);
  out << "</tr>\n";
  for (const auto& row : table.rows()) {
    out << "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) cell("td", i, row[i]);
    out << "</tr>\n";
  }
  out << "</table></div>\n";
}

void write_paragraphs(const std::vector<std::string>& sentences, const char* style,
                      std::ostream& out) {
  for (const std::string& sentence : sentences) {
    fmt::print(out, "<p class=\"{}\">{}</p>\n", style, escaped(sentence));
  }
}

/// Every case as a dot at its error, a row a model.
class ErrorStrip {
 public:
  explicit ErrorStrip(const SetOutcome& outcome) : outcome_(outcome) {
    for (const CaseOutcome& one : outcome.cases) {
      for (const CaseAnswer& answer : one.answers) {
        if (answer.answered()) end_ = std::max(end_, std::abs(answer.raw));
      }
    }
  }

  void write(std::ostream& out) const {
    const double height = kRow * static_cast<double>(outcome_.models.size() + 1);
    fmt::print(out,
               "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"error of each case by model\">"
               "\n",
               kWidth, height);
    for (int tick = -2; tick <= 2; ++tick) {
      const double error = end_ * tick / 2.0;
      fmt::print(out,
                 "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"0\" y2=\"{1:.1f}\"/>"
                 "<text x=\"{0:.1f}\" y=\"{2:.1f}\" text-anchor=\"middle\">{3:+.3g} %</text>\n",
                 x_of(error), height - kRow, height - 5.0, error * 100.0);
    }
    for (std::size_t model = 0; model < outcome_.models.size(); ++model) write_row(model, out);
    out << "</svg>\n";
  }

 private:
  static constexpr double kWidth = 900.0;
  static constexpr double kRow = 22.0;
  static constexpr double kLeft = 130.0;
  static constexpr double kRight = 860.0;

  double x_of(double error) const { return kLeft + (error / end_ + 1.0) / 2.0 * (kRight - kLeft); }

  void write_row(std::size_t model, std::ostream& out) const {
    const double y = kRow * (static_cast<double>(model) + 0.5);
    fmt::print(out, "<text x=\"0\" y=\"{:.1f}\">{}</text>\n", y + 4.0,
               escaped(outcome_.models[model]));
    for (const CaseOutcome& one : outcome_.cases) {
      if (!one.failure.empty() || !one.answers[model].answered()) continue;
      const double error = one.answers[model].raw;
      fmt::print(out,
                 "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"><title>{}: {:+.2f} %</title>"
                 "</circle>\n",
                 x_of(error), y, escaped(one.name), error * 100.0);
    }
  }

  const SetOutcome& outcome_;
  double end_ = 0.01;
};

void write_aim(const SetOutcome& outcome, std::ostream& out) {
  const std::vector<std::string> sentences = aim_sentences(outcome);
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const char* style = i >= outcome.aim.size() ? "cause" : outcome.aim[i].met() ? "met" : "missed";
    fmt::print(out, "<p class=\"{}\">{}</p>\n", style, escaped(sentences[i]));
  }
}

void write_answers(const SetOutcome& outcome, std::ostream& out) {
  write_aim(outcome, out);
  write_table(error_table(outcome), out);
  const TextTable groups = group_table(outcome);
  if (!groups.rows().empty()) write_table(groups, out);
  if (outcome.baseline_efficiency) write_paragraphs({baseline_sentence(outcome)}, "small", out);
  if (!outcome.verdicts.empty()) {
    if (outcome.verdicts[outcome.main].balanced_accuracy()) {
      write_table(verdict_table(outcome), out);
    }
    write_paragraphs({verdict_sentence(outcome)}, "small", out);
  }
  if (outcome.set.random) {
    write_paragraphs(furthest_sentences(outcome), "small", out);
    return;
  }
  ErrorStrip(outcome).write(out);
  out << "<details><summary>Every case</summary>\n";
  write_table(case_table(outcome), out);
  out << "</details>\n";
}

void write_set(const SetOutcome& outcome, std::ostream& out) {
  fmt::print(out, "<h2 id=\"{0}\">Set {0}</h2>\n<p>{1}</p>\n", escaped(outcome.set.name),
             escaped(outcome.set.description));
  if (!outcome.claims.empty()) {
    out << "<p>No measurement, so no error and no median.</p>\n";
    write_table(claim_table(outcome), out);
  }
  for (const CaseOutcome& one : outcome.cases) {
    if (!one.failure.empty()) {
      write_paragraphs({"Failed: " + one.name + ": " + one.failure}, "missed", out);
    }
  }
  if (outcome.failures() < outcome.cases.size()) write_answers(outcome, out);
  write_paragraphs(basis_sentences(outcome), "small", out);
}

}  // namespace

void write_validation_page(const std::vector<SetOutcome>& outcomes, std::ostream& out) {
  out << kHead;
  write_table(overview_table(outcomes), out);
  for (const SetOutcome& outcome : outcomes) write_set(outcome, out);
  out << "</body></html>\n";
}

}  // namespace gradwire
