// Dragonflies, tori and graphs in a cluster file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platforms/model/cluster.hpp"
#include "tests/support/thrown.hpp"
#include "tests/support/topologies.hpp"

namespace gradwire {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string figure(const std::string& field, const std::string& value) {
  return field + " { value: \"" + value + "\" standing: ASSUMED source: \"a choice\" }\n";
}

Cluster parsed(const std::string& nodes, const std::string& network) {
  return parse_cluster("name: \"some\"\n" + figure("nodes", nodes) + figure("gpus_per_node", "1") +
                           "nic {\n" + figure("bandwidth", "10Gbps") + figure("latency", "25us") +
                           "}\n" + network,
                       "some.txtpb");
}

std::string refusal_of(const std::string& nodes, const std::string& network) {
  return test::input_error_of([&] { parsed(nodes, network); });
}

const std::string kDragonfly = "dragonfly {\n" + figure("groups", "3") + figure("routers", "2") +
                               figure("nodes_per_router", "2") +
                               figure("local_bandwidth", "40Gbps") +
                               figure("global_bandwidth", "20Gbps") + "}\n";
const std::string kTorus =
    "torus {\n" + figure("size", "3") + figure("size", "2") + figure("bandwidth", "50Gbps") + "}\n";

std::string cable(const std::string& from, const std::string& to, const std::string& more = {}) {
  return "link { from: \"" + from + "\" to: \"" + to + "\" " + figure("bandwidth", "100Gbps") +
         more + "}\n";
}

const std::string kGraph = "graph {\n" + cable("a", "b") +
                           cable("b", "c", figure("latency", "7us")) +
                           "node { on: \"a\" count: 2 }\nnode { on: \"c\" }\n}\n";

TEST(TopologyFile, ADragonflyIsReadWithItsSources) {
  const Cluster cluster = parsed("12", figure("hop_latency", "1us") + kDragonfly);
  EXPECT_EQ(cluster.topology->describe(),
            "dragonfly of 3 groups of 2 routers of 2 nodes, 1 link between every two groups");
  // Node 0 to node 4, the first of the next group: one global link.
  EXPECT_DOUBLE_EQ(cluster.link_between(0, 2).bandwidth.count(), 10e9);  // the NIC
  EXPECT_EQ(test::broken_ways(*cluster.topology), 0);
  EXPECT_NEAR(cluster.link_between(0, 2).latency.count(), 26e-6, 1e-12);
  ASSERT_EQ(cluster.sources.size(), 10U);
  EXPECT_EQ(cluster.sources[4].field, "dragonfly.groups");
  EXPECT_EQ(cluster.sources[9].field, "hop_latency");
  const std::string more = figure("global_links", "2") + "}\n";
  EXPECT_THAT(parsed("12", kDragonfly.substr(0, kDragonfly.size() - 2) + more).topology->describe(),
              HasSubstr("2 links between every two groups"));
}

TEST(TopologyFile, ATorusIsReadDimensionByDimension) {
  const Cluster cluster = parsed("6", kTorus);
  EXPECT_EQ(cluster.topology->describe(), "torus of 3 x 2");
  EXPECT_DOUBLE_EQ(cluster.trunk_bandwidth(0).count(), 50e9);
  EXPECT_THAT(refusal_of("6", "torus {\n" + figure("size", "six") + "}\n"),
              StartsWith("some.txtpb: torus.size 1: \"six\""));
}

TEST(TopologyFile, AGraphIsReadWithALatencyOfEachLinkOrThatOfAHop) {
  const Cluster cluster = parsed("3", figure("hop_latency", "2us") + kGraph);
  EXPECT_EQ(cluster.topology->describe(), "graph of 3 switches and 2 cables");
  EXPECT_EQ(cluster.topology->switch_of(1), "a");
  EXPECT_EQ(cluster.topology->switch_of(2), "c");
  EXPECT_NEAR(cluster.link_between(0, 2).latency.count(), 34e-6, 1e-12);
  EXPECT_NEAR(cluster.link_between(0, 1).latency.count(), 25e-6, 1e-12);
}

TEST(TopologyFile, OtherNodesThanTheTopologyHasAreRefused) {
  EXPECT_THAT(refusal_of("13", kDragonfly), HasSubstr("nodes: 13 found on a network of 12"));
  EXPECT_THAT(refusal_of("5", kTorus), HasSubstr("nodes: 5 found on a network of 6"));
  EXPECT_THAT(refusal_of("4", kGraph),
              StartsWith("some.txtpb: graph.node: places for 3 nodes found; 4 are needed"));
  EXPECT_THAT(refusal_of("1", kGraph), StartsWith("some.txtpb: graph.node: 2 nodes on \"a\""));
  EXPECT_THAT(refusal_of("2000000000", kGraph), StartsWith("some.txtpb: nodes: 2000000000 found"));
}

TEST(TopologyFile, TwoTopologiesAreRefused) {
  EXPECT_THAT(refusal_of("12", kDragonfly + kTorus),
              StartsWith("some.txtpb: torus: found beside dragonfly; one topology is accepted"));
  EXPECT_THAT(refusal_of("12", figure("nodes_per_rack", "4") + kGraph),
              StartsWith("some.txtpb: graph: found beside nodes_per_rack"));
}

TEST(TopologyFile, WhatATopologyRefusesNamesTheFile) {
  EXPECT_THAT(refusal_of("12", "dragonfly {\n" + figure("groups", "3") + "}\n"),
              StartsWith("some.txtpb: dragonfly.routers: has no value"));
  EXPECT_THAT(refusal_of("3", "graph {\n" + cable("a", "b") + cable("c", "d") +
                                  "node { on: \"a\" count: 2 }\nnode { on: \"c\" }\n}\n"),
              StartsWith("some.txtpb: graph: no way leads from node 0 (on a) to node 2 (on c)"));
  EXPECT_THAT(refusal_of("1", "graph {\n" + cable("a", "b") + "node { on: \"a\" count: -1 }\n}\n"),
              StartsWith("some.txtpb: graph.node: -1 nodes"));
}

}  // namespace
}  // namespace gradwire
