// Racks and slow NICs: reading them, refusing them, and what a message meets on its way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platforms/model/cluster.hpp"
#include "platforms/model/fat_tree.hpp"
#include "platforms/model/link_table.hpp"
#include "tests/support/clusters.hpp"
#include "tests/support/thrown.hpp"

namespace gradwire {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kSwitch = R"(name: "six"
nodes { value: "6" standing: MEASURED source: "counted" }
gpus_per_node { value: "1" standing: MEASURED source: "counted" }
nic {
  bandwidth { value: "10Gbps" standing: RECALLED source: "the label" }
  latency { value: "25us" standing: ASSUMED source: "a choice" }
}
)";
const std::string kRacks = R"(
nodes_per_rack { value: "2" standing: MEASURED source: "counted" }
oversubscription { value: "2.5" standing: PUBLISHED source: "the vendor's page" }
)";
const std::string kSlow = R"(
slow_nic { node: 0 bandwidth_factor { value: "0.5" standing: MEASURED source: "iperf3" } }
slow_nic { node: 3 bandwidth_factor { value: "0.25" standing: MEASURED source: "iperf3" } }
)";

Cluster parsed(const std::string& more) { return parse_cluster(kSwitch + more, "six.txtpb"); }

std::string refusal_of(const std::string& more) {
  return test::input_error_of([&] { parsed(more); });
}

std::string with(std::string text, const std::string& old_text, const std::string& new_text) {
  return text.replace(text.find(old_text), old_text.size(), new_text);
}

/// Six nodes of one GPU at 10 Gbps, 2 a rack, trunks of 2 * 10 / 2.5 = 8 Gbps, nodes 0 and 3 slow.
Cluster contended() { return parsed(kRacks + kSlow); }

TEST(ContendedClusterFile, OneSwitchOfEqualNodesIsTheDefault) {
  const Cluster cluster = parsed("");
  EXPECT_EQ(cluster.topology, nullptr);
  EXPECT_TRUE(cluster.slow_nics.empty());
}

TEST(ContendedClusterFile, RacksAndSlowNicsAreReadWithTheirSources) {
  const Cluster cluster = contended();
  ASSERT_NE(cluster.topology, nullptr);
  EXPECT_EQ(cluster.topology->describe(), "3 racks of 2 nodes, oversubscribed 2.5 to 1");
  EXPECT_EQ(cluster.slow_nics, (std::vector<SlowNic>{{0, 0.5}, {3, 0.25}}));
  // Four figures of the switch, two of the racks, two slow NICs.
  ASSERT_EQ(cluster.sources.size(), 8U);
  EXPECT_EQ(cluster.sources[5].field, "oversubscription");
  EXPECT_EQ(cluster.sources[5].standing, "published");
  EXPECT_EQ(cluster.sources[7].field, "slow_nic 3.bandwidth_factor");
  EXPECT_EQ(cluster.sources[7].value, "0.25");
}

TEST(ContendedClusterFile, RacksWithoutOversubscriptionAndTheReverseAreRefused) {
  EXPECT_THAT(refusal_of(kRacks.substr(0, kRacks.find("oversubscription"))),
              StartsWith("six.txtpb: oversubscription: has no value"));
  EXPECT_THAT(refusal_of(kRacks.substr(kRacks.find("oversubscription"))),
              StartsWith("six.txtpb: nodes_per_rack: has no value"));
}

TEST(ContendedClusterFile, ARackOfNoNodeOrOfMoreThanThereAreIsRefused) {
  EXPECT_THAT(refusal_of(with(kRacks, "\"2\"", "\"0\"")), StartsWith("six.txtpb: nodes_per_rack:"));
  EXPECT_THAT(refusal_of(with(kRacks, "\"2\"", "\"7\"")),
              AllOf(StartsWith("six.txtpb: nodes_per_rack: 7 found"), HasSubstr("1 to 6")));
}

TEST(ContendedClusterFile, AnOversubscriptionBelowOneOrThatIsNoNumberIsRefused) {
  EXPECT_THAT(refusal_of(with(kRacks, "2.5", "0.5")),
              AllOf(StartsWith("six.txtpb: oversubscription: 0.5 found"), HasSubstr("1 or more")));
  EXPECT_THAT(refusal_of(with(kRacks, "2.5", "4:1")),
              AllOf(StartsWith("six.txtpb: oversubscription:"), HasSubstr("not a number")));
}

TEST(ContendedClusterFile, ASlowNicOfNoNodeTwiceOrOfAnImpossibleFactorIsRefused) {
  EXPECT_THAT(refusal_of(with(kSlow, "node: 3", "")), HasSubstr("slow_nic.node: is missing"));
  EXPECT_THAT(refusal_of(with(kSlow, "node: 3", "node: 6")),
              AllOf(HasSubstr("node 6 found"), HasSubstr("0 to 5")));
  EXPECT_THAT(refusal_of(with(kSlow, "node: 3", "node: 0")), HasSubstr("node 0 found twice"));
  EXPECT_THAT(refusal_of(with(kSlow, "0.25", "0")), HasSubstr("a factor of 0 found for node 3"));
  EXPECT_THAT(refusal_of(with(kSlow, "0.25", "1.5")), HasSubstr("factor of 1.5"));
}

TEST(ClusterCheck, RefusesANetworkOfOtherNodes) {
  Cluster cluster = test::flat_cluster(4, 10e9, 0);
  cluster.topology = racks(6, 2, 4.0);
  EXPECT_THAT(test::input_error_of([&] { check_cluster(cluster); }),
              HasSubstr("nodes: 4 found on a network of 6"));
}

TEST(ContendedCluster, AMessageIsAsFastAsTheSlowestOfItsNicsAndItsTrunk) {
  const Cluster cluster = contended();
  const auto gbps = [&](int from, int to) {
    return cluster.link_between(from, to).bandwidth.count() * 1e-9;
  };
  EXPECT_DOUBLE_EQ(gbps(4, 5), 10.0);  // both NICs whole, one rack
  EXPECT_DOUBLE_EQ(gbps(1, 4), 8.0);   // the trunk
  EXPECT_DOUBLE_EQ(gbps(1, 0), 5.0);   // the receiver's NIC at a half
  EXPECT_DOUBLE_EQ(gbps(0, 3), 2.5);   // the slower of two slow NICs
  EXPECT_EQ(cluster.link_between(0, 3).latency, cluster.nic.latency);
}

TEST(LinkTable, AMessageBetweenRacksCrossesNicTrunkUpTrunkDownNic) {
  const Cluster cluster = contended();
  const LinkTable table(cluster);
  // Nodes 0 to 5 have links 0 to 11, racks 0 to 2 links 12 to 17.
  EXPECT_THAT(table.links_between(1, 4), ElementsAre(2, 12, 17, 9));
  EXPECT_THAT(table.links_between(4, 1), ElementsAre(8, 16, 13, 3));
  EXPECT_THAT(table.links_between(4, 5), ElementsAre(8, 11));
  EXPECT_DOUBLE_EQ(table.bandwidth(12).count(), 8e9);
  EXPECT_DOUBLE_EQ(table.bandwidth(17).count(), 8e9);
  EXPECT_DOUBLE_EQ(table.bandwidth(0).count(), 5e9);
  EXPECT_DOUBLE_EQ(table.bandwidth(7).count(), 2.5e9);
}

TEST(LinkTable, ALinkIsSomebodysInOneDirection) {
  const Cluster cluster = contended();
  const LinkTable table(cluster);
  EXPECT_EQ(table.place(2), (LinkPlace{LinkKind::kNic, 1, true}));
  EXPECT_EQ(table.place(9), (LinkPlace{LinkKind::kNic, 4, false}));
  EXPECT_EQ(table.place(12), (LinkPlace{LinkKind::kTrunk, 0, true}));
  EXPECT_EQ(table.place(17), (LinkPlace{LinkKind::kTrunk, 5, true}));
  EXPECT_EQ(table.name(12), "the link from rack 0 to core");
  EXPECT_EQ(table.name(17), "the link from core to rack 2");
  EXPECT_EQ(table.place(18), (LinkPlace{LinkKind::kInner, 0, true}));
}

TEST(LinkTable, GpusOfANodeShareItsNicAndNoLinkInside) {
  const Cluster cluster = test::mixed_cluster(2, 4);
  const LinkTable table(cluster);
  // Nodes 0 and 1 have links 0 to 3, GPUs from 4 on.
  EXPECT_THAT(table.links_between(1, 2), ElementsAre(6, 9));
  EXPECT_THAT(table.links_between(2, 6), ElementsAre(0, 3));
  EXPECT_THAT(table.links_between(3, 7), ElementsAre(0, 3));
  EXPECT_EQ(table.bandwidth(8), cluster.intra.bandwidth);
}

}  // namespace
}  // namespace gradwire
