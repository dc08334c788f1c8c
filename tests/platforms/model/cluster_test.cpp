#include "platforms/model/cluster.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/documentation.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/thrown.hpp"

namespace gradwire {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const char* const kSmall = R"(name: "small"
description: "two nodes on a desk"
device: "V100"
nodes { value: "2" standing: MEASURED source: "counted" }
gpus_per_node { value: "4" standing: PUBLISHED source: "the vendor's page" }
nic {
  bandwidth { value: "10Gbps" standing: RECALLED source: "the label" }
  latency { value: "25us" standing: ASSUMED source: "a choice" }
}
intra {
  bandwidth { value: "25GB/s" standing: DERIVED source: "one link of six" }
  latency { value: "3us" standing: ASSUMED source: "a choice" }
}
)";

/// The small cluster with one piece of its text replaced.
std::string small_with(const std::string& old_text, const std::string& new_text) {
  std::string text = kSmall;
  const std::size_t at = text.find(old_text);
  EXPECT_NE(at, std::string::npos) << old_text;
  return text.replace(at, old_text.size(), new_text);
}

std::string refusal_of(const std::string& text) {
  return test::input_error_of([&] { parse_cluster(text, "small.txtpb"); });
}

TEST(ClusterFile, EveryFigureIsReadInItsUnit) {
  const Cluster cluster = parse_cluster(kSmall, "small.txtpb");
  EXPECT_EQ(cluster.name, "small");
  EXPECT_EQ(cluster.description, "two nodes on a desk");
  EXPECT_EQ(cluster.device, "V100");
  EXPECT_EQ(cluster.nodes, 2);
  EXPECT_EQ(cluster.gpus_per_node, 4);
  EXPECT_EQ(cluster.gpus(), 8);
  EXPECT_DOUBLE_EQ(cluster.nic.bandwidth.count(), 1e10);
  EXPECT_DOUBLE_EQ(cluster.nic.latency.count(), 25e-6);
  EXPECT_DOUBLE_EQ(cluster.intra.bandwidth.count(), 2e11);  // 25e9 bytes/s
  EXPECT_DOUBLE_EQ(cluster.intra.latency.count(), 3e-6);
}

TEST(ClusterFile, EveryFigureKeepsItsSourceAndStanding) {
  const Cluster cluster = parse_cluster(kSmall, "small.txtpb");
  ASSERT_EQ(cluster.sources.size(), 6U);
  EXPECT_EQ(cluster.sources[0].field, "nodes");
  EXPECT_EQ(cluster.sources[0].standing, "measured");
  EXPECT_EQ(cluster.sources[1].standing, "published");
  EXPECT_EQ(cluster.sources[2].field, "nic.bandwidth");
  EXPECT_EQ(cluster.sources[2].value, "10Gbps");
  EXPECT_EQ(cluster.sources[2].standing, "recalled");
  EXPECT_EQ(cluster.sources[2].source, "the label");
  EXPECT_EQ(cluster.sources[3].standing, "assumed");
  EXPECT_EQ(cluster.sources[4].field, "intra.bandwidth");
  EXPECT_EQ(cluster.sources[4].standing, "derived");
}

TEST(ClusterFile, ALatencyThatIsNotSureHasABand) {
  EXPECT_FALSE(parse_cluster(kSmall, "small.txtpb").nic_latency_band.has_value());
  const Cluster cluster = parse_cluster(
      small_with("value: \"25us\"", "value: \"25us\" low: \"10us\" high: \"50us\""), "small.txtpb");
  EXPECT_EQ(cluster.nic_latency_band, (LatencyBand{Seconds{10e-6}, Seconds{50e-6}}));
}

TEST(ClusterFile, ABandThatMissesItsValueOrHalfOfItselfIsRefused) {
  const auto refusal = [](const std::string& band) {
    return refusal_of(small_with("value: \"25us\"", "value: \"25us\" " + band));
  };
  EXPECT_THAT(refusal("low: \"30us\" high: \"50us\""),
              AllOf(StartsWith("small.txtpb: nic.latency:"), HasSubstr("outside its own band")));
  EXPECT_THAT(refusal("low: \"10us\" high: \"20us\""), HasSubstr("outside its own band"));
  EXPECT_THAT(refusal("low: \"10us\""), StartsWith("small.txtpb: nic.latency.high:"));
  EXPECT_THAT(refusal("low: \"10\" high: \"50us\""), StartsWith("small.txtpb: nic.latency.low:"));
}

TEST(ClusterFile, ABandWhereNoneIsReadIsRefusedInsteadOfIgnored) {
  EXPECT_THAT(refusal_of(small_with("value: \"10Gbps\"", "value: \"10Gbps\" low: \"5Gbps\"")),
              AllOf(StartsWith("small.txtpb: nic.bandwidth:"), HasSubstr("band")));
  EXPECT_THAT(refusal_of(small_with("value: \"2\"", "value: \"2\" high: \"4\"")),
              StartsWith("small.txtpb: nodes:"));
}

TEST(ClusterFile, AnUnknownFieldIsNamedWithLineAndColumn) {
  EXPECT_THAT(refusal_of(small_with("device:", "devices:")),
              AllOf(StartsWith("small.txtpb:3:"), HasSubstr("devices")));
  EXPECT_THAT(refusal_of(small_with("latency {", "delay {")),
              AllOf(StartsWith("small.txtpb:8:"), HasSubstr("delay")));
}

TEST(ClusterFile, AnUnknownStandingIsNamedWithLineAndColumn) {
  EXPECT_THAT(refusal_of(small_with("MEASURED", "GUESSED")),
              AllOf(StartsWith("small.txtpb:4:"), HasSubstr("GUESSED")));
}

TEST(ClusterFile, AMissingValueIsRefusedByFileAndField) {
  EXPECT_THAT(refusal_of(small_with("value: \"25us\"", "")),
              AllOf(StartsWith("small.txtpb: nic.latency:"), HasSubstr("no value")));
  EXPECT_THAT(refusal_of(""), StartsWith("small.txtpb: name:"));
  EXPECT_THAT(refusal_of("name: \"only\""), StartsWith("small.txtpb: nodes:"));
}

TEST(ClusterFile, AFigureWithoutSourceOrStandingIsRefused) {
  EXPECT_THAT(refusal_of(small_with("source: \"the label\"", "")),
              AllOf(StartsWith("small.txtpb: nic.bandwidth:"), HasSubstr("no source")));
  EXPECT_THAT(refusal_of(small_with("standing: RECALLED", "")),
              AllOf(StartsWith("small.txtpb: nic.bandwidth:"), HasSubstr("no standing")));
}

TEST(ClusterFile, AValueWithoutUnitIsRefused) {
  EXPECT_THAT(refusal_of(small_with("10Gbps", "10")),
              AllOf(StartsWith("small.txtpb: nic.bandwidth:"), HasSubstr("no unit")));
  EXPECT_THAT(refusal_of(small_with("3us", "3")),
              AllOf(StartsWith("small.txtpb: intra.latency:"), HasSubstr("no unit")));
}

TEST(ClusterFile, ZeroOfAnythingIsRefused) {
  EXPECT_THAT(refusal_of(small_with("value: \"2\"", "value: \"0\"")),
              StartsWith("small.txtpb: nodes: 0 found"));
  EXPECT_THAT(refusal_of(small_with("value: \"4\"", "value: \"-4\"")),
              StartsWith("small.txtpb: gpus_per_node: -4 found"));
  EXPECT_THAT(refusal_of(small_with("10Gbps", "0Gbps")), StartsWith("small.txtpb: nic.bandwidth:"));
}

TEST(ClusterFile, ACountThatIsNoWholeNumberIsRefused) {
  for (const char* count : {"two", "2.5", "2 nodes", "99999999999"}) {
    EXPECT_THAT(refusal_of(small_with("value: \"2\"", std::string{"value: \""} + count + "\"")),
                AllOf(StartsWith("small.txtpb: nodes:"), HasSubstr("not a whole number")));
  }
}

TEST(ClusterFile, MoreGpusThanAnIntegerHoldsAreRefused) {
  std::string text = small_with("value: \"2\"", "value: \"1000000\"");
  text.replace(text.find("value: \"4\""), 10, "value: \"1000000\"");
  EXPECT_THAT(refusal_of(text), HasSubstr("1000000000000 GPUs"));
}

TEST(ClusterFile, ANodeOfOneGpuNeedsNoLinkInside) {
  std::string text = small_with("value: \"4\"", "value: \"1\"");
  text.erase(text.find("intra"));
  EXPECT_EQ(parse_cluster(text, "small.txtpb").gpus(), 2);
  std::string with_four = kSmall;
  with_four.erase(with_four.find("intra"));
  EXPECT_THAT(refusal_of(with_four), StartsWith("small.txtpb: intra.bandwidth:"));
}

TEST(ClusterFile, IsReadFromItsPathAndNamedByIt) {
  const test::TemporaryFolder folder;
  const auto path = folder.write("desk.txtpb", kSmall);
  EXPECT_EQ(read_cluster(path).name, "small");
  const auto broken = folder.write("broken.txtpb", "nodes: 2");
  EXPECT_THAT(test::input_error_of([&] { read_cluster(broken); }), StartsWith(broken.string()));
}

TEST(ClusterFile, TheExampleOfItsPageIsAccepted) {
  const Cluster cluster = parse_cluster(test::first_example_of("formats/cluster.md"), "cluster.md");
  EXPECT_EQ(cluster.gpus(), 16);
  EXPECT_TRUE(cluster.nic_latency_band.has_value());
}

TEST(Cluster, RanksFillNodesInOrder) {
  const Cluster cluster = parse_cluster(kSmall, "small.txtpb");
  for (int rank = 0; rank < 8; ++rank) EXPECT_EQ(cluster.node_of(rank), rank < 4 ? 0 : 1);
}

TEST(Cluster, AMessageCrossesTheNicExactlyWhenItLeavesItsNode) {
  const Cluster cluster = parse_cluster(kSmall, "small.txtpb");
  EXPECT_EQ(cluster.link_between(0, 3), cluster.intra);
  EXPECT_EQ(cluster.link_between(3, 4), cluster.nic);
  EXPECT_EQ(cluster.link_between(7, 0), cluster.nic);
}

TEST(ClusterCheck, NamesTheFieldThatIsNotUsable) {
  Cluster cluster = parse_cluster(kSmall, "small.txtpb");
  EXPECT_NO_THROW(check_cluster(cluster));
  cluster.nic.bandwidth = BitsPerSecond{0.0};
  EXPECT_THAT(test::input_error_of([&] { check_cluster(cluster); }), StartsWith("nic:"));
  cluster = parse_cluster(kSmall, "small.txtpb");
  cluster.intra.latency = Seconds{-1.0};
  EXPECT_THAT(test::input_error_of([&] { check_cluster(cluster); }), StartsWith("intra:"));
  cluster.gpus_per_node = 0;
  EXPECT_THAT(test::input_error_of([&] { check_cluster(cluster); }), StartsWith("gpus_per_node:"));
}

}  // namespace
}  // namespace gradwire
