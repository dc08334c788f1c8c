#include <gtest/gtest.h>

#include "simulator/validation/validation_set.hpp"
#include "tests/support/documentation.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/thrown.hpp"

namespace gradwire {
namespace {

/// A valid set with `from` replaced by `to`.
std::string set_text(const std::string& from = "", const std::string& to = "") {
  std::string text = R"(name: "S"
source: "a run of ours"
workload { name: "w" trace: "w.csv" }
network { latency: "20us" latency_source: "assumed" }
case {
  name: "one" workload: "w" ranks: 2 bandwidth: "1Gbps"
  measured: "2s" measured_low: "1.9s" measured_high: "2.1s"
}
)";
  if (from.empty()) return text;
  return text.replace(text.find(from), from.size(), to);
}

class SetReader : public testing::Test {
 protected:
  std::string refusal(const std::string& from, const std::string& to) {
    const auto path = folder_.write("s.txtpb", set_text(from, to));
    return test::input_error_of([&] { read_validation_set(path); });
  }

  test::TemporaryFolder folder_;
};

TEST_F(SetReader, DefaultsAreDdpsCapsNoCompressorAndBackwardSync) {
  const ValidationSet set = read_validation_set(folder_.write("s.txtpb", set_text()));
  ASSERT_EQ(set.cases.size(), 1U);
  EXPECT_EQ(set.cases[0].caps, BucketCaps{});
  EXPECT_EQ(set.cases[0].compressor, "none");
  EXPECT_EQ(set.cases[0].measured.scores, ScoredTime::kBackwardSync);
  EXPECT_EQ(set.cases[0].measured.source, "a run of ours");
  EXPECT_EQ(set.networks[0].payload_efficiency, 1.0);
  EXPECT_EQ(set.rule, ErrorRule::kMedian);
  EXPECT_EQ(set.workloads[0].trace, folder_ / "w.csv");
}

TEST_F(SetReader, RefusesAnUnknownFieldWithItsLine) {
  EXPECT_NE(refusal("source:", "sauce:").find("s.txtpb:2"), std::string::npos);
}

TEST_F(SetReader, RefusesAFigureWithoutItsSource) {
  EXPECT_NE(refusal("source: \"a run of ours\"", "").find("case \"one\": source"),
            std::string::npos);
  EXPECT_NE(refusal(" latency_source: \"assumed\"", "").find("network.latency_source"),
            std::string::npos);
  EXPECT_NE(refusal("latency: \"20us\"", "latency: \"20us\" payload_efficiency: 0.9")
                .find("network.payload_efficiency_source"),
            std::string::npos);
  EXPECT_NE(
      refusal("trace: \"w.csv\"", "trace: \"w.csv\" alone: \"1s\"").find("workload.alone_source"),
      std::string::npos);
  EXPECT_NE(refusal("ranks: 2", "ranks: 2 encode: \"1ms\"").find("cost_source"), std::string::npos);
}

TEST_F(SetReader, RefusesARangeThatDoesNotHoldTheMedian) {
  EXPECT_NE(refusal("\"1.9s\"", "\"2.05s\"").find("does not hold"), std::string::npos);
  EXPECT_NE(refusal("measured_high: \"2.1s\"", "").find("one end"), std::string::npos);
}

TEST_F(SetReader, NamesTheWorkloadsWhereACaseAsksForAnother) {
  EXPECT_NE(refusal("workload: \"w\"", "workload: \"v\"").find("\"v\" found; the set has w"),
            std::string::npos);
}

TEST_F(SetReader, RefusesAnUnknownRuleTimeSpreadOrCost) {
  EXPECT_NE(refusal("name: \"S\"", "error: \"mean\"").find("median or outside_range"),
            std::string::npos);
  EXPECT_NE(refusal("name: \"S\"", "scores: \"step\"").find("backward_sync or iteration"),
            std::string::npos);
  EXPECT_NE(refusal("name: \"S\"",
                    "gloo { cores: 2 collectives_at_once: 2 segment: \"1MiB\" "
                    "cost { what: \"luck\" ns: 1 source: \"x\" } }")
                .find("\"luck\" found; accepted: make"),
            std::string::npos);
}

TEST_F(SetReader, ReadsHowACaseCompressesAndWhatSharesItsLinks) {
  const ValidationSet set = read_validation_set(
      folder_.write("s.txtpb", set_text("ranks: 2",
                                        "ranks: 2 mode: \"overlapped\" slow_rank: 1.5 second_job { "
                                        "payload: \"2MiB\" compute: \"3ms\" }")));
  EXPECT_EQ(set.cases[0].mode, CompressionMode::kOverlapped);
  EXPECT_EQ(set.cases[0].slow_rank, 1.5);
  EXPECT_EQ(set.cases[0].second_job, (SecondJob{Bytes{2 << 20}, Seconds{3e-3}}));
}

TEST_F(SetReader, InitialBucketsNeedTheOrderOfRegistration) {
  EXPECT_NE(refusal("ranks: 2", "ranks: 2 buckets: \"initial\"").find("no `registration`"),
            std::string::npos);
  EXPECT_NE(refusal("ranks: 2", "ranks: 2 buckets: \"odd\"").find("rebuilt or initial"),
            std::string::npos);
}

TEST_F(SetReader, RefusesASlowRankThatIsFastOrAlone) {
  EXPECT_NE(refusal("ranks: 2", "ranks: 2 slow_rank: 0.5").find("1 or more"), std::string::npos);
  EXPECT_NE(refusal("ranks: 2", "ranks: 1 slow_rank: 2").find("one rank"), std::string::npos);
  EXPECT_NE(refusal("ranks: 2", "ranks: 2 mode: \"sideways\"").find("mode"), std::string::npos);
  EXPECT_NE(refusal("name: \"S\"", "decode_apart: true").find("decode_apart_source"),
            std::string::npos);
}

TEST_F(SetReader, ASetOfClaimsNamesItsStudy) {
  const ValidationSet set =
      read_validation_set(folder_.write("p.txtpb", "claims { study: \"x/study.txtpb\" }"));
  EXPECT_EQ(set.claims, folder_.path() / "x/study.txtpb");
  const auto bare = folder_.write("b.txtpb", "claims { }");
  EXPECT_NE(test::input_error_of([&] { read_validation_set(bare); }).find("claims.study"),
            std::string::npos);
}

TEST_F(SetReader, ASetHasOneKindOfCaseAndNotSeveral) {
  EXPECT_NE(refusal("name: \"S\"", "random { seed: 1 cells: 3 source: \"x\" }").find("not several"),
            std::string::npos);
  const auto empty = folder_.write("e.txtpb", "name: \"E\"");
  EXPECT_NE(test::input_error_of([&] { read_validation_set(empty); }).find("not several"),
            std::string::npos);
}

TEST_F(SetReader, ARecordedTraceNeedsNoNetworkButASource) {
  const auto path = folder_.write(
      "t.txtpb", "recorded { name: \"r\" trace: \"r.gwt\" bucket_cap: \"5MiB\" source: \"x\" }");
  const ValidationSet set = read_validation_set(path);
  ASSERT_EQ(set.recorded.size(), 1U);
  EXPECT_EQ(set.recorded[0].trace, folder_ / "r.gwt");
  EXPECT_EQ(set.recorded[0].caps.rest, Bytes{5 << 20});
  const auto bare = folder_.write("b.txtpb", "recorded { name: \"r\" trace: \"r.gwt\" }");
  EXPECT_NE(test::input_error_of([&] { read_validation_set(bare); }).find("recorded \"r\": source"),
            std::string::npos);
}

TEST_F(SetReader, AFolderStandsForItsSetsInOrderOfTheirNames) {
  folder_.write("b.txtpb", set_text());
  folder_.write("a.txtpb", set_text());
  folder_.write("w.csv", "");
  const std::vector<std::filesystem::path> expected = {folder_ / "a.txtpb", folder_ / "b.txtpb"};
  EXPECT_EQ(validation_files({folder_.path()}), expected);
}

TEST_F(SetReader, AFolderWithoutSetsIsRefused) {
  EXPECT_NE(test::input_error_of([&] { validation_files({folder_.path()}); }).find("no .txtpb"),
            std::string::npos);
}

TEST_F(SetReader, TheDocumentedSetIsReadAsItStands) {
  const auto path = folder_.write("d.txtpb", test::first_example_of("formats/validation.md"));
  const ValidationSet set = read_validation_set(path);
  EXPECT_EQ(set.cases.size(), 1U);
  EXPECT_TRUE(set.gloo.has_value());
}

}  // namespace
}  // namespace gradwire
