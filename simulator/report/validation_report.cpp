#include "simulator/report/validation_report.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "simulator/report/csv_writer.hpp"
#include "simulator/report/text_table.hpp"

namespace gradwire {
namespace {

std::string seconds(Seconds time) { return fmt::format("{:.3f}", time.count()); }

std::string signed_percent(Seconds predicted, const ValidationCase& item) {
  const std::string text = fmt::format("{:+.1f} %", (predicted / item.measured - 1.0) * 100.0);
  return scored_error(predicted, item) == 0.0 ? text + " (in range)" : text;
}

std::string summary_text(const ErrorSummary& errors) {
  return fmt::format("median {:.1f} %, nine tenths within {:.1f} %, worst {:.1f} %",
                     errors.median * 100.0, errors.p90 * 100.0, errors.worst * 100.0);
}

}  // namespace

void write_validation_text(const ValidationResult& result, std::ostream& out) {
  const ValidationSet& set = *result.set;
  fmt::print(out, "{}: {}; {}\n", set.name, set.description, set.source);
  TextTable table({{"case", TextTable::Align::kLeft},
                   {"measured s"},
                   {"samples s"},
                   {"simgrid"},
                   {"error"},
                   {"recurrence"},
                   {"formula"},
                   {"baseline"},
                   {"error"}});
  for (const CasePrediction& prediction : result.cases) {
    const ValidationCase& item = *prediction.validation;
    table.add_row({item.name, seconds(item.measured),
                   fmt::format("{} to {}", seconds(item.low), seconds(item.high)),
                   seconds(prediction.simgrid), signed_percent(prediction.simgrid, item),
                   seconds(prediction.recurrence), seconds(prediction.formula),
                   seconds(prediction.baseline), signed_percent(prediction.baseline, item)});
  }
  fmt::print(out, "{}", table.text());
  fmt::print(out, "Errors: {}; inside the range of the samples counts as none.\n",
             summary_text(result.ours));
  fmt::print(
      out, "Baseline (buckets in order, rings at {:.0f} % of that rate, fitted to this set): {}.\n",
      result.baseline_efficiency * 100.0, summary_text(result.baseline));
  fmt::print(out, "Aim: median {:.1f} %, nine tenths within {:.1f} %: {}.\n",
             set.aim_median * 100.0, set.aim_p90 * 100.0, result.meets_aim() ? "met" : "missed");
  if (!result.meets_aim() && !set.cause.empty()) {
    fmt::print(out, "Most likely because: {}\n", set.cause);
  }
  for (const std::string& sentence : set.basis) fmt::print(out, "Assumed: {}\n", sentence);
  out << '\n';
}

void write_validation_csv(const std::vector<ValidationResult>& results, std::ostream& out) {
  CsvWriter csv(out, {"set", "case", "measured_s", "low_s", "high_s", "simgrid_s", "recurrence_s",
                      "formula_s", "baseline_s", "scored_error_ratio", "baseline_error_ratio"});
  for (const ValidationResult& result : results) {
    for (const CasePrediction& prediction : result.cases) {
      const ValidationCase& item = *prediction.validation;
      csv.cell(result.set->name).cell(item.name).cell(item.measured.count());
      csv.cell(item.low.count()).cell(item.high.count()).cell(prediction.simgrid.count());
      csv.cell(prediction.recurrence.count()).cell(prediction.formula.count());
      csv.cell(prediction.baseline.count()).cell(scored_error(prediction.simgrid, item));
      csv.cell(scored_error(prediction.baseline, item));
      csv.end_row();
    }
  }
}

}  // namespace gradwire
