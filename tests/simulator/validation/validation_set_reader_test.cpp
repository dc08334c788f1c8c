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

TEST_F(SetReader, ReadsNodesOfSeveralGpusTheirAllReduceAndWhatIsOutsideTheBackwardPass) {
  std::string text = set_text("ranks: 2", "ranks: 8 gpus_per_node: 4 all_reduce: \"double_tree\"");
  const std::string network = "latency_source: \"assumed\"";
  text.insert(text.find(network) + network.size(),
              " intra_bandwidth: \"50Gbps\" intra_latency: \"5us\" intra_source: \"x\" host_cap: "
              "\"400Mbps\" host_cap_source: \"x\"");
  const std::string trace = "trace: \"w.csv\"";
  text.insert(text.find(trace) + trace.size(), " outside: \"84ms\" outside_source: \"x\"");
  const ValidationSet set = read_validation_set(folder_.write("s.txtpb", text));
  EXPECT_EQ(set.cases[0].gpus_per_node, 4);
  EXPECT_EQ(set.cases[0].all_reduce, "double_tree");
  EXPECT_EQ(set.networks[0].intra, (LinkSpec{BitsPerSecond{50e9}, Seconds{5e-6}}));
  EXPECT_EQ(set.networks[0].host_cap, BitsPerSecond{400e6});
  EXPECT_EQ(set.workloads[0].outside, Seconds{84e-3});
}

TEST_F(SetReader, RefusesNodesOfSeveralGpusWithoutALinkBetweenThem) {
  EXPECT_NE(refusal("ranks: 2", "ranks: 2 gpus_per_node: 2").find("no `intra_bandwidth`"),
            std::string::npos);
  EXPECT_NE(refusal("ranks: 2", "ranks: 2 gpus_per_node: -1").find("-1 found"), std::string::npos);
}

TEST_F(SetReader, RefusesARateOrATimeOutsideThePassWithoutItsSource) {
  const auto network_refusal = [&](const std::string& more) {
    return refusal("latency: \"20us\"", "latency: \"20us\" " + more);
  };
  EXPECT_NE(network_refusal("host_cap: \"1Gbps\"").find("network.host_cap_source"),
            std::string::npos);
  EXPECT_NE(network_refusal("intra_bandwidth: \"1Gbps\"").find("network.intra_source"),
            std::string::npos);
  EXPECT_NE(network_refusal("intra_latency: \"1us\"").find("without intra_bandwidth"),
            std::string::npos);
  EXPECT_NE(refusal("trace: \"w.csv\"", "trace: \"w.csv\" outside: \"1s\"")
                .find("workload.outside_source"),
            std::string::npos);
}

TEST_F(SetReader, ASlowdownIsOneOrMoreAndHasASource) {
  const auto slowed = [&](const std::string& more) { return refusal("name: \"S\"", more); };
  EXPECT_NE(slowed("overlap_slowdown: 1.1").find("overlap_slowdown_source"), std::string::npos);
  EXPECT_NE(slowed("overlap_slowdown: 0.9 overlap_slowdown_source: \"x\"").find("1 or more"),
            std::string::npos);
}

TEST_F(SetReader, ACaseNamesItsNetworkWhereTheSetHasSeveral) {
  const std::string first = "network { latency: \"20us\" latency_source: \"assumed\" }";
  const std::string both =
      "network { name: \"slow\" latency: \"1ms\" latency_source: \"x\" }\n"
      "network { name: \"fast\" latency: \"1us\" latency_source: \"x\" }";
  EXPECT_NE(refusal(first, both).find("case \"one\": network: \"\" found; the set has slow, fast"),
            std::string::npos);
  EXPECT_NE(refusal(first, "").find("network: none found"), std::string::npos);
  EXPECT_NE(refusal(first, first + first).find("network.name"), std::string::npos);
  std::string text = set_text(first, both);
  text.replace(text.find("ranks: 2"), 8, "ranks: 2 network: \"fast\"");
  EXPECT_EQ(read_validation_set(folder_.write("s.txtpb", text)).cases[0].network, 1U);
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
