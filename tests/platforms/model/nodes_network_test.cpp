#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platforms/model/cluster.hpp"
#include "platforms/model/fat_tree.hpp"
#include "platforms/model/link_table.hpp"
#include "tests/support/clusters.hpp"
#include "tests/support/thrown.hpp"

namespace gradwire {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kBase = R"(
name: "rails"
nodes { value: "4" standing: MEASURED source: "counted" }
gpus_per_node { value: "4" standing: MEASURED source: "counted" }
nic {
  bandwidth { value: "100Gbps" standing: PUBLISHED source: "the vendor's page" }
  latency { value: "5us" standing: ASSUMED source: "a guess" }
}
intra {
  bandwidth { value: "300GB/s" standing: PUBLISHED source: "the vendor's page" }
  latency { value: "2us" standing: ASSUMED source: "a guess" }
}
)";

std::string figure(const std::string& field, const std::string& value) {
  return field + " { value: \"" + value + "\" standing: ASSUMED source: \"a guess\" }\n";
}

Cluster parsed(const std::string& more) { return parse_cluster(kBase + more, "rails.txtpb"); }

std::string refusal_of(const std::string& more) {
  return test::input_error_of([&] { parsed(more); });
}

double gbps(const Cluster& cluster, int from, int to) {
  return cluster.link_between(from, to).bandwidth.count() * 1e-9;
}

TEST(NodesNetwork, AMessageIsCutOverAllNicsOfANodeUnlessTheyAreTheGpus) {
  EXPECT_DOUBLE_EQ(gbps(parsed(figure("nics_per_node", "2")), 0, 4), 200.0);
  EXPECT_DOUBLE_EQ(gbps(parsed(figure("nics_per_node", "2") + "nic_use: BY_GPU\n"), 0, 4), 100.0);
}

TEST(NodesNetwork, NicsUsedByGpuAreLinksOfTheirOwn) {
  const Cluster cluster = parsed(figure("nics_per_node", "2") + "nic_use: BY_GPU\n");
  const LinkTable table(cluster);
  // GPUs 0 and 1 of a node have its first NIC, 2 and 3 its second.
  EXPECT_EQ(table.links_between(0, 4), table.links_between(1, 5));
  EXPECT_THAT(table.links_between(0, 4), ElementsAre(0, 5));
  EXPECT_THAT(table.links_between(2, 7), ElementsAre(2, 7));
  EXPECT_EQ(table.name(2), "NIC 1 of node 0, out");
  EXPECT_EQ(table.place(7), (LinkPlace{LinkKind::kNic, 3, false}));
}

TEST(NodesNetwork, PayloadHasItsShareOfNicsAndTrunks) {
  const Cluster cluster = parsed(figure("efficiency", "0.9") + figure("nodes_per_rack", "2") +
                                 figure("oversubscription", "4"));
  EXPECT_DOUBLE_EQ(gbps(cluster, 0, 4), 90.0);
  EXPECT_DOUBLE_EQ(gbps(cluster, 0, 8), 45.0);  // a trunk of 2 * 100 / 4
}

TEST(NodesNetwork, ANodesStackBoundsAllItsNicsTogether) {
  const Cluster cluster =
      parsed(figure("nics_per_node", "4") + figure("host_cap", "160Gbps") + "nic_use: BY_GPU\n");
  EXPECT_DOUBLE_EQ(gbps(cluster, 0, 4), 100.0);
  const LinkTable table(cluster);
  // Four nodes of four NICs have links 0 to 31; the stacks follow.
  EXPECT_THAT(table.links_between(1, 6), ElementsAre(32, 2, 13, 35));
  EXPECT_DOUBLE_EQ(table.bandwidth(32).count(), 160e9);
  EXPECT_EQ(table.name(35), "the network stack of node 1, in");
  EXPECT_DOUBLE_EQ(gbps(parsed(figure("host_cap", "60Gbps")), 0, 4), 60.0);
}

TEST(NodesNetwork, AFlowCapBoundsMessagesBetweenNodesAlone) {
  const Cluster cluster = parsed(figure("flow_cap", "5Gbps"));
  EXPECT_DOUBLE_EQ(gbps(cluster, 0, 4), 5.0);
  EXPECT_DOUBLE_EQ(gbps(cluster, 0, 1), 2400.0);
}

TEST(NodesNetwork, EveryLinkBetweenSwitchesAddsItsLatency) {
  const Cluster cluster = parsed(figure("nodes_per_rack", "2") + figure("oversubscription", "1") +
                                 figure("hop_latency", "1us"));
  EXPECT_DOUBLE_EQ(cluster.link_between(0, 4).latency.count(), 5e-6);
  EXPECT_DOUBLE_EQ(cluster.link_between(0, 8).latency.count(), 7e-6);
}

TEST(NodesNetwork, TreesOfSeveralLevelsAreRead) {
  const Cluster cluster =
      parsed("fat_tree_level {" + figure("children", "1") + figure("oversubscription", "1") + "}" +
             "fat_tree_level {" + figure("children", "2") + figure("oversubscription", "2") +
             figure("links", "2") + "}");
  ASSERT_NE(cluster.topology, nullptr);
  EXPECT_EQ(cluster.topology->describe(),
            "2 groups at level 2 of 2 switches, oversubscribed 2 to 1, trunks of 2 links taken by "
            "destination; 4 racks of 1 nodes, oversubscribed 1 to 1");
  EXPECT_DOUBLE_EQ(gbps(cluster, 0, 12), 50.0);  // a link of two: 2 * 100 / 2 / 2
}

TEST(NodesNetwork, SpeedsOfANodeAndOfAGpuMultiply) {
  const Cluster cluster = parsed("speed { node: 1 " + figure("factor", "0.5") +
                                 "} speed { gpu: 6 " + figure("factor", "0.8") + "}");
  EXPECT_DOUBLE_EQ(cluster.compute_factor(3), 1.0);
  EXPECT_DOUBLE_EQ(cluster.compute_factor(4), 2.0);
  EXPECT_DOUBLE_EQ(cluster.compute_factor(6), 2.5);
}

TEST(NodesNetwork, WhatCannotBeIsRefusedWithItsField) {
  EXPECT_THAT(refusal_of(figure("nics_per_node", "8") + "nic_use: BY_GPU\n"),
              AllOf(HasSubstr("rails.txtpb: nics_per_node: 8 found"), HasSubstr("4 GPUs")));
  EXPECT_THAT(refusal_of(figure("nics_per_node", "0")), HasSubstr("nics_per_node: 0 found"));
  EXPECT_THAT(refusal_of(figure("efficiency", "1.1")), HasSubstr("efficiency: 1.1 found"));
  EXPECT_THAT(refusal_of(figure("efficiency", "0")), HasSubstr("efficiency: 0 found"));
  EXPECT_THAT(refusal_of(figure("flow_cap", "5")), HasSubstr("flow_cap"));
  EXPECT_THAT(refusal_of(figure("hop_latency", "1us")), HasSubstr("found on one switch"));
  EXPECT_THAT(refusal_of("speed { " + figure("factor", "0.5") + "}"),
              HasSubstr("one of node and gpu"));
  EXPECT_THAT(refusal_of("speed { node: 4 " + figure("factor", "0.5") + "}"),
              HasSubstr("node 4 found; 0 to 3"));
  EXPECT_THAT(refusal_of("speed { gpu: 2 " + figure("factor", "0") + "}"),
              HasSubstr("a factor of 0 found for gpu 2"));
  EXPECT_THAT(refusal_of(figure("nodes_per_rack", "2") + figure("oversubscription", "1") +
                         "fat_tree_level {" + figure("children", "2") +
                         figure("oversubscription", "1") + "}"),
              HasSubstr("one topology is accepted"));
}

}  // namespace
}  // namespace gradwire
