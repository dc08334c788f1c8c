#include "simulator/report/accuracy_report.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <optional>
#include <ostream>
#include <string>

#include "base/unit_text.hpp"
#include "simulator/report/csv_writer.hpp"
#include "simulator/report/text_table.hpp"

namespace gradwire {
namespace {

std::string counted(std::int64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string error_text(std::optional<double> error) {
  return error ? fmt::format("{:.3g}", *error) : "-";
}

std::string cosine_text(std::optional<double> cosine) {
  return cosine ? fmt::format("{:.4f}", *cosine) : "-";
}

std::optional<double> median_of(const std::optional<FigureSpread>& spread) {
  return spread ? std::optional{spread->median} : std::nullopt;
}

std::optional<double> worst_of(const std::optional<FigureSpread>& spread) {
  return spread ? std::optional{spread->worst} : std::nullopt;
}

std::string table_text(const std::vector<SchemeAccuracy>& schemes) {
  TextTable table({{"scheme", TextTable::Align::kLeft},
                   {"wire ratio"},
                   {"error"},
                   {"worst error"},
                   {"cosine"},
                   {"worst cosine"},
                   {"error of sum"},
                   {"cosine of sum"}});
  for (const SchemeAccuracy& accuracy : schemes) {
    const auto errors = accuracy.relative_errors();
    const auto cosines = accuracy.cosines();
    table.add_row({accuracy.scheme, fmt::format("{:.4g}", accuracy.wire_ratio()),
                   error_text(median_of(errors)), error_text(worst_of(errors)),
                   cosine_text(median_of(cosines)), cosine_text(worst_of(cosines)),
                   error_text(accuracy.sum.relative_error), cosine_text(accuracy.sum.cosine)});
  }
  return table.text();
}

/// What the dump itself takes out of the figures, a line each.
std::vector<std::string> notes_on_gradients(const RecordedGradients& gradients,
                                            const GradientCheck& check) {
  std::vector<std::string> notes;
  for (const NonFiniteGradient& found : check.non_finite) {
    notes.push_back(fmt::format(
        "Iteration {}: {} of rank {} NaN or infinite, the first in {}; exchanged, but in no "
        "figure, and no sum is formed.",
        found.iteration, counted(found.elements, "element"), found.rank, found.tensor));
  }
  for (const int iteration : check.zero_averages) {
    notes.push_back(fmt::format(
        "Iteration {}: the average is zero, so that neither error nor cosine is defined.",
        iteration));
  }
  constexpr std::size_t kShown = 10;
  if (notes.size() > kShown) {
    const std::size_t left = notes.size() - kShown;
    notes.resize(kShown);
    notes.push_back(fmt::format("... and {} more such lines.", left));
  }
  if (gradients.stored_as_float16) {
    notes.emplace_back(
        "The files hold float16: what that lost is in no figure, and fp16 looks better than it "
        "is.");
  }
  return notes;
}

std::vector<std::string> notes_on_schemes(const std::vector<SchemeAccuracy>& schemes) {
  std::vector<std::string> notes;
  std::vector<std::string> with_memory;
  for (const SchemeAccuracy& accuracy : schemes) {
    const std::string name = accuracy.scheme.substr(0, accuracy.scheme.find(':'));
    if (accuracy.error_memory && (with_memory.empty() || with_memory.back() != name)) {
      with_memory.push_back(name);
    }
    if (accuracy.broken_results > 0) {
      notes.push_back(fmt::format(
          "{}: {} of {} from finite gradients held NaN or infinities; in no figure, and no sum is "
          "formed.",
          accuracy.scheme, accuracy.broken_results,
          counted(static_cast<std::int64_t>(accuracy.exchanges.size()), "result")));
    }
    if (!accuracy.gives_average) {
      notes.push_back(fmt::format(
          "{}: the result is no average but a direction (a vote), so that its distance to the "
          "average means nothing; the cosine tells.",
          accuracy.scheme));
    }
  }
  if (!with_memory.empty()) {
    notes.push_back(fmt::format(
        "With error memory, so that a result also carries what earlier ones left out, which counts "
        "as an error of its iteration: {}.",
        fmt::join(with_memory, ", ")));
  }
  return notes;
}

void write_lines(const std::vector<std::string>& lines, std::ostream& out) {
  if (lines.empty()) return;
  out << '\n';
  for (const std::string& line : lines) out << line << '\n';
}

}  // namespace

void write_accuracy_text(const RecordedGradients& gradients, const AccuracyOutcome& outcome,
                         std::ostream& out) {
  const Elements elements = total_elements(gradients.shapes);
  fmt::print(out, "{} of {}: {} elements in {}, {} a rank as float32; seed {}.\n\n",
             counted(gradients.iterations, "iteration"), counted(gradients.ranks, "rank"),
             elements.count(),
             counted(static_cast<std::int64_t>(gradients.shapes.size()), "tensor"),
             format_bytes(elements * Bytes{4}), outcome.seed);
  out << table_text(outcome.schemes);
  std::vector<std::string> notes = notes_on_gradients(gradients, outcome.check);
  for (std::string& note : notes_on_schemes(outcome.schemes)) notes.push_back(std::move(note));
  write_lines(notes, out);
  out << "\nerror: |result - average| / |average| over all elements of an iteration; average is "
         "the "
         "true one of the ranks' gradients.\nerror and cosine: medians over the iterations, which "
         "run in order through one error memory and warm start, empty at first.\nerror of sum: the "
         "same for the sum of all results against the sum of all averages: what error feedback "
         "still owes at the end.\n\n"
         "These are errors of single exchanges of these gradients; a run with a compressor would "
         "have computed others. Convergence was\nnot measured: how many more iterations an error "
         "costs, or what accuracy, is in no figure here. A step saved is not yet an\nhour saved.\n";
}

void write_accuracy_csv(const RecordedGradients& gradients, const AccuracyOutcome& outcome,
                        std::ostream& out) {
  CsvWriter csv(
      out, {"scheme", "ranks", "iterations", "seed", "payload_bytes", "wire_bytes", "wire_ratio",
            "gives_average", "error_memory", "measured_iterations", "broken_results",
            "relative_error_median_ratio", "relative_error_worst_ratio", "cosine_median_ratio",
            "cosine_worst_ratio", "sum_relative_error_ratio", "sum_cosine_ratio"});
  for (const SchemeAccuracy& accuracy : outcome.schemes) {
    const auto errors = accuracy.relative_errors();
    const auto cosines = accuracy.cosines();
    csv.cell(accuracy.scheme).cell(gradients.ranks).cell(gradients.iterations).cell(outcome.seed);
    csv.cell(accuracy.payload.count()).cell(accuracy.wire.count()).cell(accuracy.wire_ratio());
    csv.cell(accuracy.gives_average).cell(accuracy.error_memory);
    csv.cell(accuracy.measured_iterations).cell(accuracy.broken_results);
    csv.cell(median_of(errors)).cell(worst_of(errors));
    csv.cell(median_of(cosines)).cell(worst_of(cosines));
    csv.cell(accuracy.sum.relative_error).cell(accuracy.sum.cosine);
    csv.end_row();
  }
}

}  // namespace gradwire
