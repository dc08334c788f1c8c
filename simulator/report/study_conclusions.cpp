#include "simulator/report/study_conclusions.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cmath>

#include "simulator/report/text_table.hpp"

namespace gradwire {
namespace {

std::string range_text(const ClaimSpec& claim) {
  const std::string unit = claim.unit.empty() ? "" : " " + claim.unit;
  if (!claim.low) return fmt::format("at most {:.3g}{}", *claim.high, unit);
  if (!claim.high) return fmt::format("at least {:.3g}{}", *claim.low, unit);
  if (*claim.low == *claim.high) return fmt::format("{:.3g}{}", *claim.low, unit);
  return fmt::format("{:.3g} to {:.3g}{}", *claim.low, *claim.high, unit);
}

std::string value_text(double value) {
  return std::isinf(value) ? "none" : fmt::format("{:.3g}", value);
}

std::string distance_text(double distance) {
  if (std::isinf(distance)) return "-";
  if (distance == 0.0) return "inside";
  return fmt::format("{:+.0f} %", distance * 100.0);
}

std::string share_text(const Recount& recount) {
  return fmt::format("{:.1f} %", recount.share() * 100.0);
}

void write_targets(const SensitivityResult& result, std::ostream& out) {
  if (result.targets.empty()) return;
  fmt::print(out, "What alone would bring the share of wins to {:.1f} % ({}):\n",
             *result.spec->target_share * 100.0, result.spec->target_source);
  for (const TargetFactor& target : result.targets) {
    if (target.factor) {
      fmt::print(out, "  {} x {:.2f} ({:.1f} % win then)\n", target.input, *target.factor,
                 target.share * 100.0);
    } else {
      fmt::print(out, "  {}: nothing up to x {:.0f} ({:.1f} % still win there)\n", target.input,
                 target.most, target.share * 100.0);
    }
  }
}

}  // namespace

void write_headline(const StudySpec& spec, const StudyOutcome& outcome, std::ostream& out) {
  for (const SensitivityResult& result : outcome.sensitivities) {
    double low = result.here.share();
    double high = low;
    for (const Recount& recount : result.recounts) {
      if (recount.input == kOtherBaseline) continue;
      low = std::min(low, recount.share());
      high = std::max(high, recount.share());
    }
    const SensitivitySpec& asked = *result.spec;
    fmt::print(out,
               "{}: {} of {} cells ({:.1f} %) beat {} by more than {:.0f} %; {:.1f} to {:.1f} % "
               "while one uncertain input at a time moves",
               spec.grids[asked.grid].description, result.here.wins, result.here.cells,
               result.here.share() * 100.0, asked.baseline, kTieBand * 100.0, low * 100.0,
               high * 100.0);
    if (asked.target_share) {
      fmt::print(out, "; {:.1f} % is {}", *asked.target_share * 100.0, asked.target_source);
    }
    fmt::print(out, ".\n");
  }
  if (!outcome.sensitivities.empty()) out << '\n';
}

TextTable claim_table(const std::vector<ClaimResult>& claims) {
  TextTable table({{"claim", TextTable::Align::kLeft},
                   {"standing", TextTable::Align::kLeft},
                   {"study"},
                   {"ours"},
                   {"distance"}});
  for (const ClaimResult& result : claims) {
    table.add_row({result.claim->claim, result.claim->standing, range_text(*result.claim),
                   result.ours ? value_text(*result.ours) : "-",
                   result.distance ? distance_text(*result.distance) : "-"});
  }
  return table;
}

void write_claims(const StudyOutcome& outcome, std::ostream& out) {
  if (outcome.claims.empty()) return;
  fmt::print(out, "Claims of the study beside ours: a check of consistency, no truth.\n{}\n",
             claim_table(outcome.claims).text());
}

void write_sensitivities(const StudySpec& spec, const StudyOutcome& outcome, std::ostream& out) {
  for (const SensitivityResult& result : outcome.sensitivities) {
    TextTable table(
        {{"input", TextTable::Align::kLeft}, {"at", TextTable::Align::kLeft}, {"wins"}, {"share"}});
    const auto add = [&](const Recount& recount) {
      table.add_row(
          {recount.input, recount.value, std::to_string(recount.wins), share_text(recount)});
    };
    add(result.here);
    for (const Recount& recount : result.recounts) add(recount);
    fmt::print(out, "Wins over {} in grid \"{}\" ({} cells) with one input changed at a time:\n{}",
               result.spec->baseline, spec.grids[result.spec->grid].name, result.here.cells,
               table.text());
    write_targets(result, out);
    out << '\n';
  }
}

}  // namespace gradwire
