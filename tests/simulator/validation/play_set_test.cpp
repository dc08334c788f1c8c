#include "simulator/validation/play_set.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/temporary_folder.hpp"

namespace gradwire {
namespace {

// 1e6 floats ready at 10 ms on two ranks at 0.5 x 1.6 Gbps, 100 MB/s: 2 rounds of 20 ms.
constexpr const char* kList = "elements,dtype,ready_us\n1000000,float32,10000\n";

std::string case_text(const std::string& name, const std::string& measured,
                      const std::string& more = "") {
  return "case { name: \"" + name +
         "\" workload: \"w\" ranks: 2 bandwidth: \"1.6Gbps\" measured: \"" + measured + "\" " +
         more + " }\n";
}

class PlayedSet : public testing::Test {
 protected:
  SetOutcome play(const std::string& cases, const std::string& more = "") {
    folder_.write("w.csv", kList);
    return play_set(read_validation_set(folder_.write(
        "s.txtpb",
        "source: \"a test\" network { latency: \"0s\" latency_source: \"x\" payload_efficiency: "
        "0.5 payload_efficiency_source: \"x\" } workload { name: \"w\" trace: \"w.csv\" }\n" +
            more + cases)));
  }

  test::TemporaryFolder folder_;
};

TEST_F(PlayedSet, EveryEstimatorStandsBesideTheMeasurementAndTheFittedBaseline) {
  const SetOutcome outcome = play(case_text("one", "50ms"));
  EXPECT_EQ(outcome.models,
            (std::vector<std::string>{"formula", "recurrence", "simgrid", "baseline"}));
  ASSERT_EQ(outcome.cases[0].answers.size(), 4U);
  for (const CaseAnswer& answer : outcome.cases[0].answers) {
    EXPECT_NEAR(answer.time.count(), 50e-3, 1e-6);
  }
  EXPECT_DOUBLE_EQ(*outcome.baseline_efficiency, 0.5);
}

TEST_F(PlayedSet, TheAimHoldsTheSimulationUnlessGloosModelIsAskedFor) {
  EXPECT_EQ(play(case_text("one", "50ms")).main, 2U);
  const SetOutcome outcome =
      play(case_text("one", "50ms"), "gloo { cores: 2 collectives_at_once: 2 segment: \"1MiB\" }");
  EXPECT_EQ(outcome.models[outcome.main], "gloo");
  EXPECT_NEAR(outcome.cases[0].answers[outcome.main].time.count(), 50e-3, 1e-6);
}

TEST_F(PlayedSet, ErrorsAreSignedSharesOfTheMeasuredTime) {
  // 50 ms against 40 and 100 ms
  const SetOutcome outcome =
      play(case_text("short", "40ms") + case_text("long", "100ms"), "aim { worst: 0.3 }");
  EXPECT_NEAR(outcome.cases[0].answers[0].scored, 0.25, 1e-6);
  EXPECT_NEAR(outcome.cases[1].answers[0].scored, -0.5, 1e-6);
  EXPECT_NEAR(outcome.summaries[0].worst, 0.5, 1e-6);
  ASSERT_EQ(outcome.aim.size(), 1U);
  EXPECT_FALSE(outcome.aim[0].met());
}

TEST_F(PlayedSet, ACaseThatCannotBePlayedIsToldAndTheOthersGoOn) {
  const SetOutcome outcome = play(case_text("no costs", "1s", "compressor: \"powersgd:rank=1\"") +
                                  case_text("one", "50ms"));
  EXPECT_EQ(outcome.failures(), 1U);
  EXPECT_NE(outcome.cases[0].failure.find("without encode and decode"), std::string::npos);
  EXPECT_NEAR(outcome.cases[1].answers[0].raw, 0.0, 1e-6);
}

TEST_F(PlayedSet, WhatOneModelRefusesTheOthersAnswer) {
  // A second job that never comes to its all-reduce disturbs nobody; only SimGrid knows of it.
  const SetOutcome outcome =
      play(case_text("shared", "50ms", "second_job { payload: \"1MiB\" compute: \"10s\" }"));
  EXPECT_EQ(outcome.failures(), 0U);
  EXPECT_FALSE(outcome.cases[0].answers[0].answered());
  EXPECT_NE(outcome.cases[0].answers[0].refusal, "");
  EXPECT_NEAR(outcome.cases[0].answers[outcome.main].time.count(), 50e-3, 1e-6);
  EXPECT_EQ(outcome.answered, (std::vector<std::size_t>{0, 0, 1, 1}));
}

// Two gradients of 1e6 floats, ready at 10 and 30 ms; 40 ms on the link each. Rebuilt, each a
// bucket: 10 + 40 + 40. Initially the one that is ready last comes first: 30 + 40 + 40.
TEST_F(PlayedSet, InitialBucketsFollowTheOrderOfRegistration) {
  folder_.write("v.csv",
                "parameter,elements,dtype,ready_us\nb,1000000,float32,10000\na,1000000,float32,"
                "30000\n");
  folder_.write("names.txt", "b\na\n");
  const auto text = [](const std::string& name, const std::string& more) {
    return "case { name: \"" + name +
           "\" workload: \"v\" ranks: 2 bandwidth: \"1.6Gbps\" first_bucket: \"1B\" bucket_cap: "
           "\"1B\" measured: \"90ms\" " +
           more + " }\n";
  };
  const SetOutcome outcome =
      play(text("rebuilt", "") + text("first", "buckets: \"initial\""),
           "workload { name: \"v\" trace: \"v.csv\" registration: \"names.txt\" }\n");
  for (std::size_t model = 0; model < 3; ++model) {
    EXPECT_NEAR(outcome.cases[0].answers[model].time.count(), 90e-3, 1e-6);
    EXPECT_NEAR(outcome.cases[1].answers[model].time.count(), 110e-3, 1e-6);
  }
}

TEST_F(PlayedSet, WhatTheMainModelRefusesIsAFailure) {
  const SetOutcome outcome =
      play(case_text("shared", "50ms", "second_job { payload: \"1MiB\" compute: \"10s\" }"),
           "gloo { cores: 2 collectives_at_once: 2 segment: \"1MiB\" }");
  EXPECT_NE(outcome.cases[0].failure.find("second job"), std::string::npos);
}

TEST_F(PlayedSet, ASlowRankHoldsUpAll) {
  const SetOutcome outcome = play(case_text("slow", "60ms", "slow_rank: 2"));
  for (const CaseAnswer& answer : outcome.cases[0].answers) {
    if (!answer.answered()) continue;
    EXPECT_NEAR(answer.time.count(), 60e-3, 1e-6);
  }
}

// 31250 words of signs at 100 MB/s: 1.25 ms behind 10 ms and 3 ms, then 4 ms.
TEST_F(PlayedSet, VerdictsCompareACaseWithTheSameOneUncompressed) {
  folder_.write("w.csv", "shape,dtype,ready_us\n1000000,float32,10000\n");
  const std::string costs =
      "compressor: \"signsgd\" encode: \"3ms\" decode: \"4ms\" cost_source: \"x\"";
  const SetOutcome outcome = play_set(read_validation_set(folder_.write(
      "s.txtpb",
      "source: \"a test\" network { latency: \"0s\" latency_source: \"x\" payload_efficiency: 0.5 "
      "payload_efficiency_source: \"x\" } workload { name: \"w\" trace: \"w.csv\" } decode_apart: "
      "true "
      "decode_apart_source: \"x\" aim { verdict_accuracy: 0.95 }\n" +
          case_text("none", "50ms") + case_text("signs", "18.25ms", costs) +
          case_text("overlapped", "70ms", costs + " mode: \"overlapped\""))));
  ASSERT_EQ(outcome.failures(), 0U);
  EXPECT_NEAR(outcome.cases[1].answers[outcome.main].time.count(), 18.25e-3, 1e-6);
  EXPECT_NEAR(outcome.cases[2].answers[outcome.main].time.count(), 18.25e-3, 1e-6);
  const VerdictScore& score = outcome.verdicts[outcome.main];
  EXPECT_EQ(score.helps_found, 1U);
  EXPECT_EQ(score.harms, 1U);
  EXPECT_EQ(score.harms_found, 0U);
  ASSERT_EQ(outcome.aim.size(), 1U);
  EXPECT_FALSE(outcome.aim[0].met());
  EXPECT_DOUBLE_EQ(outcome.aim[0].reached, 0.5);
}

TEST_F(PlayedSet, AnIterationIsScoredOnlyWhereTheTraceKnowsIt) {
  const SetOutcome outcome = play(case_text("one", "50ms", "scores: \"iteration\""));
  EXPECT_NE(outcome.cases[0].failure.find("scores: iteration"), std::string::npos);
}

// What the set says of the rest of an iteration stands before what the trace does not tell. 50 + 7.
// Two gradients, ready at 10 and 50 ms: the first one's 40 ms on the link make the 40 ms of compute
// beside it 1.25 times as long: 10 + 40 + 8 of the second's 40 ms are left to compute; then its
// own.
TEST_F(PlayedSet, ASlowdownStretchesComputeBesideCommunication) {
  folder_.write("v.csv", "elements,dtype,ready_us\n1000000,float32,10000\n1000000,float32,50000\n");
  const SetOutcome outcome = play(
      "case { name: \"one\" workload: \"v\" ranks: 2 bandwidth: \"1.6Gbps\" measured: \"98ms\" "
      "first_bucket: \"1B\" }",
      "overlap_slowdown: 1.25 overlap_slowdown_source: \"x\" workload { name: \"v\" trace: "
      "\"v.csv\" "
      "}\n");
  for (std::size_t model = 0; model < 3; ++model) {
    EXPECT_NEAR(outcome.cases[0].answers[model].time.count(), 98e-3, 1e-6);
  }
}

TEST_F(PlayedSet, AnIterationHasWhatTheSetSaysIsOutsideTheBackwardPass) {
  const SetOutcome outcome = play(
      "case { name: \"one\" workload: \"v\" ranks: 2 bandwidth: \"1.6Gbps\" measured: \"57ms\" "
      "scores: \"iteration\" }",
      "workload { name: \"v\" trace: \"w.csv\" outside: \"7ms\" outside_source: \"x\" }\n");
  ASSERT_EQ(outcome.failures(), 0U);
  EXPECT_EQ(outcome.models.back(), "baseline");
  for (const CaseAnswer& answer : outcome.cases[0].answers) {
    EXPECT_NEAR(answer.time.count(), 57e-3, 1e-6);
  }
  EXPECT_DOUBLE_EQ(*outcome.baseline_efficiency, 0.5);
}

/// The set of above, its links replaced by `network`.
class PlayedNetwork : public testing::Test {
 protected:
  SetOutcome play(const std::string& network, const std::string& one) {
    folder_.write("w.csv", kList);
    return play_set(read_validation_set(folder_.write(
        "s.txtpb",
        "source: \"a test\" workload { name: \"w\" trace: \"w.csv\" }\nnetwork { latency: "
        "\"0s\" latency_source: \"x\" " +
            network + " }\n" + one)));
  }

  test::TemporaryFolder folder_;
};

// 200 MB/s of link, 100 of which the host sends: 10 + 40 ms; below that the link counts.
TEST_F(PlayedNetwork, AHostSendsNoFasterThanItsSoftwareHoweverFastTheLink) {
  const SetOutcome outcome =
      play("host_cap: \"800Mbps\" host_cap_source: \"x\"",
           case_text("host", "50ms") +
               "case { name: \"link\" workload: \"w\" ranks: 2 bandwidth: \"400Mbps\" measured: "
               "\"90ms\" }");
  for (std::size_t model = 0; model < 3; ++model) {
    EXPECT_NEAR(outcome.cases[0].answers[model].time.count(), 50e-3, 1e-6);
    EXPECT_NEAR(outcome.cases[1].answers[model].time.count(), 90e-3, 1e-6);
  }
}

// A ring of 4 on 2 nodes sends 1.5 x 4 MB over each NIC at 200 MB/s: 10 + 30 ms. Switches that sum
// send it once, before and after which a chain of 8 chunks goes over the 400 MB/s inside a node:
// 10 + 20 + 2 x 10 ms.
TEST_F(PlayedNetwork, RanksOfANodeReachEachOtherBesideItsNic) {
  const auto text = [](const std::string& name, const std::string& all_reduce) {
    return "case { name: \"" + name +
           "\" workload: \"w\" ranks: 4 gpus_per_node: 2 bandwidth: \"1.6Gbps\" measured: \"1s\" "
           "all_reduce: \"" +
           all_reduce + "\" }\n";
  };
  const SetOutcome outcome =
      play("intra_bandwidth: \"3.2Gbps\" intra_source: \"x\"",
           text("ring", "ring") + text("switches", "in_network") + text("none", "star"));
  EXPECT_NEAR(outcome.cases[0].answers[outcome.main].time.count(), 40e-3, 1e-6);
  EXPECT_NEAR(outcome.cases[1].answers[outcome.main].time.count(), 50e-3, 1e-6);
  EXPECT_NE(outcome.cases[2].failure.find("star"), std::string::npos);
}

TEST(RandomCells, AreTheSameForASeedAndOtherForAnother) {
  ValidationSet set;
  set.random = RandomCells{7, 9, "a test"};
  const SetOutcome once = play_set(set);
  const SetOutcome again = play_set(set);
  set.random->seed = 8;
  const SetOutcome other = play_set(set);
  ASSERT_EQ(once.cases.size(), 9U);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(once.cases[i].name, again.cases[i].name);
  EXPECT_NE(once.cases[0].measured.median, other.cases[0].measured.median);
}

TEST(RandomCells, EveryEstimatorMeetsTheClosedForms) {
  ValidationSet set;
  set.random = RandomCells{99, 60, "a test"};
  const SetOutcome outcome = play_set(set);
  for (const ErrorSummary& summary : outcome.summaries) EXPECT_LT(summary.worst, 1e-9);
}

}  // namespace
}  // namespace gradwire
