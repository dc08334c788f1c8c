#include "simulator/report/advice_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/simulator/questions/small_question.hpp"

namespace gradwire {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

AdviceReport report_of(const AdviceQuestion& question) {
  AdviceReport report;
  report.trace = "hand-made";
  report.device = question.device;
  report.cluster = question.scenario.cluster.name;
  report.workers = question.scenario.workers;
  report.bandwidth = question.scenario.cluster.nic.bandwidth;
  if (question.profile) report.cost_profile = question.profile->name;
  report.advice = give_advice(question);
  return report;
}

std::string text_of(const AdviceReport& report) {
  std::ostringstream out;
  write_text(report, out);
  return out.str();
}

/// One bucket, ready at 20 of 25 ms: 70 ms with fp16, and what signs take is the entry's.
AdviceQuestion one_bucket(double encode_ms) {
  AdviceQuestion question = test::small_question(
      fmt::format("entry {{ scheme: \"signsgd\" elements: 100000 tensors: 1 encode_s: {} decode_s: "
                  "0 standing: MEASURED date: \"2026\" source: \"a test\" }}",
                  encode_ms * 1e-3));
  question.scenario.workload = test::workload_of({{20, 100'000}}, 25);
  return question;
}

TEST(AdviceText, BeginsWithWhatToTakeAndHowSureThatIs) {
  // 20 + 10 of encoding + 3.125 of network; the backward pass ends at 35.
  EXPECT_THAT(text_of(report_of(one_bucket(10))),
              StartsWith("Compress with signsgd (overlapped): 35 ms, 50.0 % faster than fp16 "
                         "without a compressor (70 ms of backward plus synchronisation); 50.0 % "
                         "faster to 50.0 % faster inside the bands, the margin survives them; its "
                         "costs are measured.\n1 of 1 compressors win by more than 3 %."));
}

TEST(AdviceText, BeginsWithDoNotCompressAndSaysWhatElseToDo) {
  const std::string text = text_of(report_of(one_bucket(100)));
  // 20 + 100 + 3.125 + nothing: 125 with the rest of the backward pass behind the encoding.
  EXPECT_THAT(text, StartsWith("Do not compress: fp16 without a compressor (70 ms of backward plus "
                               "synchronisation) is faster than every compressor; the best, "
                               "signsgd (overlapped), is 78.6 % slower,"));
  // Ready at 95 of 100 ms: 145 for four batches.
  EXPECT_THAT(text, HasSubstr("fp16: accumulate over 4 passes (48.2 % faster; changes effective "
                              "batch x4)"));
}

TEST(AdviceText, CallsATieATie) {
  // 20 + 46 + 3.125 = 69.1, and 25 + 46 = 71 of the backward pass: 1.4 % slower.
  EXPECT_THAT(text_of(report_of(one_bucket(46))),
              StartsWith("Do not compress: the best compressor, signsgd (overlapped), ties with "
                         "fp16 without a compressor (70 ms of backward plus synchronisation): 1.4 "
                         "% slower"));
}

TEST(AdviceText, SaysWhereTheMarginDoesNotSurviveTheBands) {
  AdviceQuestion question = one_bucket(10);
  question.assumptions.compute_low = 1.0;
  question.assumptions.compute_high = 9.0;
  // Ready at 180 of 225: fp16 230, signs 235.
  EXPECT_THAT(
      text_of(report_of(question)),
      HasSubstr("2.2 % slower to 50.0 % faster inside the bands, at their end it is a tie"));
}

TEST(AdviceText, WithoutACostProfileTheBudgetComesFirstAndNoVerdict) {
  AdviceQuestion question = one_bucket(10);
  question.profile.reset();
  question.device = "NVIDIA H100 80GB HBM3";
  const std::string text = text_of(report_of(question));
  EXPECT_THAT(text, StartsWith("No cost profile fits \"NVIDIA H100 80GB HBM3\", so this is no "
                               "verdict. A compressor behind the backward pass is faster than fp16 "
                               "without a compressor (70 ms of backward plus synchronisation) only "
                               "where encoding and decoding together take less than:\n"));
  // 70 - 25 - 3.125 = 41.875.
  EXPECT_THAT(text, testing::ContainsRegex("signsgd +41\\.87 +41\\.87 to 41\\.87\n"));
  EXPECT_THAT(text, HasSubstr("gradwire measure-compressors --device 0 -o profile.txtpb"));
  EXPECT_THAT(text, HasSubstr("--cost-profile profile.txtpb"));
  EXPECT_THAT(text, Not(HasSubstr("ompress with")));
}

TEST(AdviceText, AProfileThatKnowsNoneOfTheCompressorsGivesNoVerdict) {
  AdviceQuestion question = one_bucket(10);
  question.compressors = {"qsgd:bits=4"};
  const AdviceReport report = report_of(question);
  EXPECT_FALSE(report.advice.has_verdict());
  const std::string text = text_of(report);
  EXPECT_THAT(text, StartsWith("Cost profile chip-1 has no cost of these compressors, so this is "
                               "no verdict."));
  EXPECT_THAT(text, HasSubstr("Not ranked: qsgd:bits=4,bucket=512: "));
}

TEST(AdviceText, WithTheCostsOfAnotherDeviceTheBudgetStillComesFirst) {
  AdviceQuestion question = one_bucket(10);
  question.device = "Chip 2";
  const std::string text = text_of(report_of(question));
  EXPECT_THAT(text, StartsWith("No cost profile fits \"Chip 2\""));
  EXPECT_THAT(text, HasSubstr("With the costs of chip-1, which is of another device"));
  EXPECT_THAT(text, testing::ContainsRegex("signsgd +overlapped .* assumed\n"));
}

TEST(AdviceText, ShowsErrorsBesideTheTimesWhereTheyWereMeasured) {
  AdviceReport report = report_of(one_bucket(10));
  EXPECT_THAT(text_of(report), Not(HasSubstr("error of sum")));
  SchemeAccuracy accuracy;
  accuracy.scheme = "fp16";
  accuracy.exchanges = {{0.25, 0.9}};
  accuracy.sum = {0.125, 0.9};
  report.accuracy.emplace("fp16", accuracy);
  report.accuracy_basis = "Of a test.";
  const std::string text = text_of(report);
  EXPECT_THAT(text, testing::ContainsRegex("fp16 .*not counted +0\\.25 +0\\.125\n"));
  EXPECT_THAT(text, HasSubstr("Of a test.\n"));
}

TEST(AdviceJson, HasTheVerdictAndNoneWithoutCosts) {
  const auto json_of = [](const AdviceReport& report) {
    std::ostringstream out;
    write_json(report, out);
    return out.str();
  };
  EXPECT_THAT(json_of(report_of(one_bucket(10))), HasSubstr("\"compress\": true"));
  EXPECT_THAT(json_of(report_of(one_bucket(100))), HasSubstr("\"compress\": false"));
  AdviceQuestion question = one_bucket(10);
  question.profile.reset();
  question.device.clear();
  EXPECT_THAT(json_of(report_of(question)), HasSubstr("\"compress\": null"));
}

}  // namespace
}  // namespace gradwire
