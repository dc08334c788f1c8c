#include "simulator/report/validation_report.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace gradwire {
namespace {

/// One case of 2 s, inside its range by "formula", 10 % too long by "gloo".
SetOutcome outcome_of(double median_aim) {
  SetOutcome outcome;
  outcome.set.name = "S";
  outcome.set.likely_cause = "the dog ate it";
  outcome.set.skipped = {"the rest: too large"};
  outcome.models = {"formula", "gloo"};
  outcome.main = 1;
  Measurement measured;
  measured.median = Seconds{2.0};
  measured.low = Seconds{1.9};
  measured.high = Seconds{2.1};
  outcome.cases = {{"one", measured, "", {{Seconds{2.05}, 0.025, 0.0}, {Seconds{2.2}, 0.1, 0.1}}},
                   {"two", measured, "no such file", {}}};
  outcome.summaries = {{0.0, 0.0, 0.0}, {0.1, 0.1, 0.1}};
  outcome.answered = {1, 1};
  outcome.aim = {{"median", 0.1, median_aim}};
  return outcome;
}

std::string text_of(const SetOutcome& outcome) {
  std::ostringstream out;
  write_validation_text(outcome, out);
  return out.str();
}

TEST(ValidationReport, AMissedAimIsToldWithItsDistanceAndItsCause) {
  const std::string text = text_of(outcome_of(0.04));
  EXPECT_NE(text.find("Aim: median of gloo at most 4.00 %: missed by 6.00 % with 10.00 %"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("Most likely cause: the dog ate it"), std::string::npos);
}

TEST(ValidationReport, AMetAimNeedsNoCause) {
  const std::string text = text_of(outcome_of(0.2));
  EXPECT_NE(text.find("met with 10.00 %"), std::string::npos);
  EXPECT_EQ(text.find("Most likely cause"), std::string::npos);
}

TEST(ValidationReport, WhatTheRangeForgivesIsShownBesideWhatCounts) {
  const std::string text = text_of(outcome_of(0.2));
  EXPECT_NE(text.find("(+2.50) +0.00"), std::string::npos) << text;
  EXPECT_NE(text.find("Failed: two: no such file"), std::string::npos);
  EXPECT_NE(text.find("1 of 2 cases played"), std::string::npos);
  EXPECT_NE(text.find("Not scored: the rest: too large"), std::string::npos);
}

TEST(ValidationReport, GroupsAreSummedUpByTheModelThatIsHeldToTheAim) {
  SetOutcome outcome = outcome_of(0.2);
  EXPECT_EQ(text_of(outcome).find("By group"), std::string::npos);
  outcome.cases[0].group = "few nodes";
  outcome.cases[1].group = "many nodes";
  const std::string text = text_of(outcome);
  EXPECT_NE(text.find("By group, gloo:\n"), std::string::npos) << text;
  EXPECT_NE(text.find("few nodes      1  10.00 %  10.00 %  10.00 %\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("many nodes"), std::string::npos);
}

TEST(ValidationReport, AModelThatRefusesHasDashesAndNoMedian) {
  SetOutcome outcome = outcome_of(0.2);
  outcome.cases[0].answers[0] = {};
  outcome.cases[0].answers[0].refusal = "links are shared";
  outcome.answered = {0, 1};
  const std::string text = text_of(outcome);
  EXPECT_NE(text.find("formula      0        -        -        -\n"), std::string::npos) << text;
  std::ostringstream csv;
  write_validation_csv({outcome}, csv);
  EXPECT_NE(csv.str().find("S,one,backward_sync,formula,2,1.9,2.1,0,,,,,links are shared\n"),
            std::string::npos)
      << csv.str();
}

TEST(ValidationReport, VerdictsStandBesideTheCommonerAnswer) {
  SetOutcome outcome = outcome_of(0.2);
  outcome.verdicts.resize(2);
  for (VerdictScore& score : outcome.verdicts) {
    score.add(1.5, 1.2);
    score.add(0.7, 0.8);
    score.add(0.7, 1.1);
  }
  outcome.aim = {{"balanced accuracy", 0.75, 0.95, true}};
  const std::string text = text_of(outcome);
  EXPECT_NE(text.find("gloo              1/1              1/2  66.67 %   75.00 %\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("Always the commoner answer: 66.67 % right"), std::string::npos) << text;
  EXPECT_NE(text.find("Aim: balanced accuracy of gloo at least 95.00 %: missed by 20.00 % with "
                      "75.00 %"),
            std::string::npos)
      << text;
}

TEST(ValidationReport, WhatIsAssumedAndWhatIsFittedToOtherRowsIsTold) {
  SetOutcome outcome = outcome_of(0.2);
  MeasuredNetwork network;
  network.name = "fast";
  network.payload_efficiency = 0.9;
  network.efficiency_source = "a guess";
  outcome.set.networks = {network};
  outcome.set.assumed = {"the batch is 128"};
  outcome.set.calibrated = {"the rate to 2 workers"};
  const std::string text = text_of(outcome);
  EXPECT_NE(text.find("Assumed: 90.0 % of the links' rate is payload on fast (a guess)\n"
                      "Assumed: the batch is 128\n"
                      "Calibrated on what is not scored: the rate to 2 workers\n"),
            std::string::npos)
      << text;
}

TEST(ValidationReport, ClaimsAreTableAndNoMedian) {
  SetOutcome outcome;
  outcome.set.name = "P";
  ClaimSpec claim;
  claim.claim = "it helps";
  claim.standing = "recalled";
  claim.high = 2.0;
  outcome.claims = {{claim, 3.0, 0.5}};
  const std::string text = text_of(outcome);
  EXPECT_NE(text.find("it helps"), std::string::npos);
  EXPECT_NE(text.find("+50 %"), std::string::npos) << text;
  EXPECT_EQ(text.find("median  "), std::string::npos);
}

TEST(ValidationReport, CsvHasALineACaseAndModelAndNothingWhereACaseFailed) {
  std::ostringstream out;
  write_validation_csv({outcome_of(0.2)}, out);
  EXPECT_EQ(out.str(),
            "set,case,scores,model,measured_s,measured_low_s,measured_high_s,samples,predicted_s,"
            "relative_error,scored_error,source,failure\n"
            "S,one,backward_sync,formula,2,1.9,2.1,0,2.05,0.025,0,,\n"
            "S,one,backward_sync,gloo,2,1.9,2.1,0,2.2,0.1,0.1,,\n"
            "S,two,backward_sync,formula,2,1.9,2.1,0,,,,,no such file\n"
            "S,two,backward_sync,gloo,2,1.9,2.1,0,,,,,no such file\n");
}

}  // namespace
}  // namespace gradwire
