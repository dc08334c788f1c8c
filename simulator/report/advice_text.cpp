#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "base/unit_text.hpp"
#include "simulator/report/advice_report.hpp"
#include "simulator/report/answer_text.hpp"
#include "simulator/report/text_table.hpp"

namespace gradwire {
namespace {

std::string milliseconds(Seconds time) { return fmt::format("{:.2f}", time.count() * 1e3); }

std::string in_bands(const AdviceRow& row) {
  return fmt::format("{} to {}", difference_text(row.speedup_low),
                     difference_text(row.speedup_high));
}

/// "powersgd:rank=4 (overlapped)".
std::string title_of(const AdviceRow& row) {
  if (!row.mode) return row.what;
  return fmt::format("{} ({})", row.what, name_of(*row.mode));
}

std::string costs_text(const AdviceRow& row) {
  return row.standing.empty() ? std::string{} : fmt::format("; its costs are {}", row.standing);
}

/// What survives the bands, of a row that wins.
std::string survival_text(const AdviceRow& row) {
  switch (outcome_at(row.speedup_low)) {
    case Outcome::kWin:
      return "the margin survives them";
    case Outcome::kTie:
      return "at their end it is a tie";
    case Outcome::kLoss:
      break;
  }
  return "at their end it is slower";
}

std::string baseline_text(const Advice& advice) {
  return fmt::format("{} without a compressor ({} of backward plus synchronisation)",
                     advice.best_baseline, format_duration(advice.best_baseline_time));
}

/// The fastest of each kind that beats the best baseline by more than a tie.
std::string instead_sentence(const Advice& advice) {
  std::vector<std::string> parts;
  std::set<AdviceKind> told;
  for (const AdviceRow& row : advice.instead) {
    if (row.outcome() != Outcome::kWin || !told.insert(row.kind).second) continue;
    parts.push_back(
        fmt::format("{} ({}; changes {})", row.what, difference_text(row.speedup), row.changes));
  }
  if (parts.empty()) {
    return "Nothing of what else was tried is faster either.\n";
  }
  return fmt::format("Instead, against the same baseline: {}.\n", fmt::join(parts, "; "));
}

std::string take_text(const AdviceRow& row, const Advice& advice) {
  return fmt::format("Compress with {}: {}, {} than {}; {} inside the bands, {}{}.\n",
                     title_of(row), format_duration(row.time), difference_text(row.speedup),
                     baseline_text(advice), in_bands(row), survival_text(row), costs_text(row));
}

std::string do_not_text(const AdviceRow& best, const Advice& advice) {
  std::string text = "Do not compress: ";
  if (best.outcome() == Outcome::kTie) {
    text += fmt::format("the best compressor, {}, ties with {}: {}", title_of(best),
                        baseline_text(advice), difference_text(best.speedup));
  } else {
    text += fmt::format("{} is faster than every compressor; the best, {}, is {}",
                        baseline_text(advice), title_of(best), difference_text(best.speedup));
  }
  return text + fmt::format(", {} inside the bands{}.\n", in_bands(best), costs_text(best));
}

/// How many single schemes win, and the best of them where a mix is better.
std::string others_text(const Advice& advice) {
  std::string text = fmt::format("{} of {} compressors win by more than {:.0f} %", advice.winners(),
                                 advice.scorecard.size(), kTieBand * 100.0);
  const AdviceRow* single = advice.best_single_compressor();
  if (single != nullptr && single != advice.best_compressor()) {
    text += fmt::format("; the best for all buckets alike is {}, {}", title_of(*single),
                        difference_text(single->speedup));
  }
  return text +
         ". That is speed alone: `gradwire gradients` measures what they do to the gradients.\n";
}

std::string verdict_text(const Advice& advice) {
  const AdviceRow* take = advice.to_take();
  std::string text =
      take != nullptr ? take_text(*take, advice) : do_not_text(*advice.best_compressor(), advice);
  text += others_text(advice);
  const AdviceRow* row = advice.faster_and_not_advised();
  if (row != nullptr && row->outcome() == Outcome::kWin) {
    text += fmt::format("Not advised though faster: {} ({}): {}.\n", title_of(*row),
                        difference_text(row->speedup), row->not_advised);
  }
  return text + instead_sentence(advice);
}

/// What is asked of a compressor where nobody knows what it costs here.
std::string inverse_text(const AdviceReport& report) {
  const Advice& advice = report.advice;
  const std::string device = report.device.empty() ? "a device that the trace does not name"
                                                   : fmt::format("\"{}\"", report.device);
  const std::string why =
      advice.costs_fit
          ? fmt::format("Cost profile {} has no cost of these compressors", report.cost_profile)
          : fmt::format("No cost profile fits {}", device);
  std::string text = fmt::format(
      "{}, so this is no verdict. A compressor behind the backward pass is "
      "faster than {} only where encoding and decoding together take less than:\n\n",
      why, baseline_text(advice));
  std::vector<const SchemeScore*> scores;
  for (const SchemeScore& score : advice.scorecard) scores.push_back(&score);
  std::stable_sort(scores.begin(), scores.end(), [](const SchemeScore* a, const SchemeScore* b) {
    return a->budget > b->budget;
  });
  TextTable table(
      {{"compressor", TextTable::Align::kLeft}, {"less than ms"}, {"inside the bands"}});
  for (const SchemeScore* score : scores) {
    const bool never = score->budget <= Seconds{0};
    table.add_row({score->scheme, never ? "never pays" : milliseconds(score->budget),
                   fmt::format("{} to {}", milliseconds(score->budget_low),
                               milliseconds(score->budget_high))});
  }
  return text + table.text() +
         "\n(Never pays: its exchange alone takes longer than the baseline exposes.)\n"
         "Measure with `gradwire measure-compressors --device 0 -o profile.txtpb` on that device, "
         "then ask again with `--cost-profile profile.txtpb`.\n" +
         instead_sentence(advice);
}

/// The row of a scheme's other mode; null for none.
const AdviceRow* other_mode(const AdviceRow& row, const Advice& advice) {
  for (const AdviceRow& other : advice.ranked) {
    if (other.what == row.what && other.mode != row.mode) return &other;
  }
  return nullptr;
}

/// The median relative error of single exchanges, and that of the sum of all.
std::vector<std::string> error_cells(const SchemeAccuracy* accuracy) {
  if (accuracy == nullptr) return {"", ""};
  const auto cell = [](std::optional<double> error) {
    return error ? fmt::format("{:.3g}", *error) : std::string{"-"};
  };
  const std::optional<FigureSpread> errors = accuracy->relative_errors();
  return {cell(errors ? std::optional(errors->median) : std::nullopt),
          cell(accuracy->sum.relative_error)};
}

std::string ranking(const AdviceReport& report) {
  const Advice& advice = report.advice;
  std::vector<TextTable::Column> columns = {{"ranked", TextTable::Align::kLeft},
                                            {"mode", TextTable::Align::kLeft},
                                            {"ms"},
                                            {"against " + advice.best_baseline},
                                            {"inside the bands"},
                                            {"other mode ms"},
                                            {"costs", TextTable::Align::kLeft}};
  const bool with_errors = !report.accuracy.empty();
  if (with_errors) columns.insert(columns.end(), {{"error"}, {"error of sum"}});
  TextTable table(std::move(columns));
  std::set<std::string> told;
  for (const AdviceRow& row : advice.ranked) {
    if (!told.insert(row.what).second) continue;
    const AdviceRow* other = other_mode(row, advice);
    std::vector<std::string> cells = {row.what,
                                      row.mode ? std::string{name_of(*row.mode)} : "",
                                      milliseconds(row.time),
                                      difference_text(row.speedup),
                                      in_bands(row),
                                      other != nullptr ? milliseconds(other->time) : "",
                                      row.standing};
    if (with_errors) {
      for (std::string& cell : error_cells(accuracy_of(report, row))) {
        cells.push_back(std::move(cell));
      }
    }
    table.add_row(std::move(cells));
  }
  return table.text() + (with_errors ? report.accuracy_basis + "\n" : "");
}

std::string alternatives(const Advice& advice) {
  TextTable table({{"instead of compressing", TextTable::Align::kLeft},
                   {"ms"},
                   {"ms, same samples"},
                   {"against " + advice.best_baseline},
                   {"inside the bands"},
                   {"changes", TextTable::Align::kLeft},
                   {"compute", TextTable::Align::kLeft}});
  for (const AdviceRow& row : advice.instead) {
    table.add_row({row.what, milliseconds(row.time), milliseconds(row.comparable_time),
                   difference_text(row.speedup), in_bands(row), row.changes, row.standing});
  }
  return table.text();
}

std::string by_bucket_text(const Advice& advice) {
  if (!advice.by_bucket) {
    return advice.why_not_by_bucket.empty()
               ? std::string{}
               : fmt::format("Not shown: {}.\n\n", advice.why_not_by_bucket);
  }
  const ByBucketAdvice& found = *advice.by_bucket;
  const std::string how =
      found.exact ? fmt::format(
                        "exact: all {} combinations were played; of each bucket's schemes those "
                        "that another one beats in everything are left out",
                        found.combinations)
                  : fmt::format(
                        "not exact: of {:.3g} combinations {} were played, one bucket changed at a "
                        "time from each scheme for all",
                        static_cast<double>(found.combinations), found.played);
  if (found.is_uniform) {
    return fmt::format(
        "Bucket by bucket, beside the backward pass, no mix of what may be advised is faster than "
        "{} everywhere, {} "
        "({}).\n\n",
        found.uniform, format_duration(found.uniform_time), how);
  }
  TextTable table(
      {{"bucket"}, {"payload"}, {"ready ms"}, {"best compressed with", TextTable::Align::kLeft}});
  for (std::size_t i = 0; i < found.buckets.size(); ++i) {
    const BucketAdvice& bucket = found.buckets[i];
    table.add_row({std::to_string(i), format_bytes(bucket.payload), milliseconds(bucket.ready),
                   bucket.scheme});
  }
  return fmt::format(
      "{}Beside the backward pass, bucket by bucket ({}). The same everywhere: {}, {}.\n\n",
      table.text(), how, found.uniform, format_duration(found.uniform_time));
}

std::string yes_or_no(std::optional<bool> truth) {
  if (!truth) return "?";
  return *truth ? "yes" : "no";
}

std::string codec_cell(const SchemeScore& score) {
  const std::string budget = milliseconds(score.budget);
  if (!score.codec) return fmt::format("? of {}", budget);
  return fmt::format("{} of {} {}", milliseconds(*score.codec), budget,
                     yes_or_no(score.is_under_budget()));
}

std::string growth_cell(const SchemeScore& score) {
  if (!score.growth) return "?";
  return fmt::format("{:.2f}x {}", *score.growth, yes_or_no(score.scales()));
}

std::string hidden_cell(const SchemeScore& score) {
  if (!score.hidden) return "?";
  const double percent = std::round(*score.hidden * 100.0) + 0.0;  // no "-0"
  return fmt::format("{:.0f} % {}", percent, yes_or_no(score.hides()));
}

std::string scorecard(const Advice& advice) {
  if (advice.scorecard.empty()) return {};
  TextTable table({{"scorecard", TextTable::Align::kLeft},
                   {"all-reduce"},
                   {"codec ms of budget"},
                   {"growth"},
                   {"hidden"},
                   {"ratio"},
                   {"launches"},
                   {"yes"}});
  for (const SchemeScore& score : advice.scorecard) {
    table.add_row(
        {score.scheme, score.all_reduced ? "yes" : "no", codec_cell(score), growth_cell(score),
         hidden_cell(score),
         fmt::format("{:.3g} {}", score.ratio, yes_or_no(score.is_sufficient_and_not_more())),
         fmt::format("{} {}", score.launches, yes_or_no(score.launches_little())),
         fmt::format("{} of 6", score.yes())});
  }
  const SchemeScore& any = advice.scorecard.front();
  const std::string needed =
      any.needed_ratio
          ? fmt::format(
                "at least {:.3g}, what DDP needs to spend {:.0f} % of its time in the "
                "backward pass, and at most {:.3g} times that",
                *any.needed_ratio, kNearLinear * 100.0, kAmpleRatio)
          : fmt::format("none suffices for DDP to spend {:.0f} % of its time in the backward pass",
                        kNearLinear * 100.0);
  return table.text() +
         fmt::format(
             "Yes is: every collective an all-reduce; encoding and decoding under the budget of "
             "serial compression against {}; exchange and decode grow by less than half of "
             "what the workers do from {} on ({:.3g}x); a hook hides at least half of it behind "
             "the "
             "backward pass; ratio: {}; no more launches than gradients ({}). ?: not known, or no "
             "more than {} workers.\n",
             advice.best_baseline, any.fewer_workers, any.workers_growth, needed, any.gradients,
             any.fewer_workers);
}

std::string without_cost_text(const AdviceReport& report) {
  std::string text;
  for (const SchemeScore& score : report.advice.scorecard) {
    if (!score.why_no_cost.empty()) {
      text += fmt::format("Not ranked: {}: {}\n", score.scheme, score.why_no_cost);
    }
  }
  return text;
}

}  // namespace

const SchemeAccuracy* accuracy_of(const AdviceReport& report, const AdviceRow& row) {
  const auto found = report.accuracy.find(row.what == "float32" ? "none" : row.what);
  return found == report.accuracy.end() ? nullptr : &found->second;
}

void write_text(const AdviceReport& report, std::ostream& out) {
  const Advice& advice = report.advice;
  fmt::print(out, "{}", advice.has_verdict() ? verdict_text(advice) : inverse_text(report));
  fmt::print(out, "{} workers at {}, {} on {}; all times are backward plus synchronisation.\n\n",
             report.workers, format_bandwidth(report.bandwidth), report.trace, report.cluster);
  if (advice.costs_known && !advice.costs_fit) {
    fmt::print(out,
               "With the costs of {}, which is of another device, so that they are assumed:\n\n",
               report.cost_profile);
  }
  fmt::print(out, "{}\n{}\n", ranking(report), alternatives(advice));
  fmt::print(out, "{}{}", by_bucket_text(advice), scorecard(advice));
  fmt::print(out, "{}", without_cost_text(report));
  fmt::print(out, "\nAssumed:\n");
  for (const std::string& line : advice.basis) fmt::print(out, "  {}\n", line);
  if (const AdviceRow* best = advice.best_compressor()) {
    for (const std::string& line : best->basis)
      fmt::print(out, "  {}: {}\n", title_of(*best), line);
  }
  for (const std::string& warning : advice.warnings) fmt::print(out, "Warning: {}\n", warning);
}

}  // namespace gradwire
