// Platform files of SimGrid: what of them a cluster has, and that no bad one ends this process.
#include "simulator/engine/simgrid/platform_xml.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <simgrid/s4u.hpp>

#include "platforms/model/link_table.hpp"
#include "simulator/collectives/registry.hpp"
#include "simulator/collectives/shared_links.hpp"
#include "simulator/engine/recurrence/recurrence_engine.hpp"
#include "simulator/engine/simgrid/child_process.hpp"
#include "simulator/engine/simgrid/find_any_cluster.hpp"
#include "simulator/engine/simgrid/options.hpp"
#include "simulator/engine/simgrid/platform_load.hpp"
#include "simulator/engine/simgrid/simgrid_engine.hpp"
#include "simulator/plan/planner.hpp"
#include "tests/support/clusters.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/thrown.hpp"
#include "tests/support/topologies.hpp"

namespace gradwire {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string sample(const std::string& name) {
  return std::string{GRADWIRE_SOURCE_DIR} + "/tests/simulator/engine/simgrid_platforms/" + name;
}

const std::string kHead =
    "<?xml version='1.0'?><!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">"
    "<platform version=\"4.1\">";
const std::string kHosts = "<host id=\"a\" speed=\"1Gf\"/><host id=\"b\" speed=\"1Gf\"/>";

std::string link_text(const std::string& name, const std::string& attributes) {
  return fmt::format("<link id=\"{}\" {}/>", name, attributes);
}

std::string route_text(const std::string& from, const std::string& to, const std::string& link) {
  return fmt::format("<route src=\"{}\" dst=\"{}\"><link_ctn id=\"{}\"/></route>", from, to, link);
}

/// A zone with all routes written out.
std::string zone(const std::string& content) {
  return kHead + "<zone id=\"z\" routing=\"Full\">" + content + "</zone></platform>";
}

/// Two hosts and the link between them.
std::string pair(const std::string& link) {
  return zone(kHosts + link_text("l", link) + route_text("a", "b", "l"));
}

/// What is said of a file with this content, and that it starts with the file's name.
std::string refusal_of(const std::string& content) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("bad.xml", content).string();
  const std::string text = test::input_error_of([&] { read_platform_xml(path); });
  EXPECT_THAT(text, StartsWith(path + ": "));
  return text;
}

Cluster cluster_of(const std::string& content) {
  const test::TemporaryFolder folder;
  return read_platform_xml(folder.write("good.xml", content));
}

constexpr int kHostsOfStar = 12;
constexpr std::int64_t kChunk = 1'000'000;  // bytes; the ring of 12 hosts sends 22 of them

Plan ring(int ranks) {
  const CollectiveCall call{CollectiveKind::kAllReduce, Elements{kChunk / 4 * ranks}, Bytes{4}};
  return make_collective_plan(make_schedule(call, ranks), LatencyMode::kBlocking);
}

double end_of(const Plan& plan, const Cluster& cluster, SimgridMode mode) {
  return play_simgrid(plan, cluster, {}, {mode, true}).end.count();
}

TEST(PlatformXml, AClusterOfSimgridsBecomesTheSameStar) {
  const Cluster cluster = read_platform_xml(sample("star.xml"));
  EXPECT_EQ(cluster.name, "star");
  EXPECT_EQ(cluster.nodes, kHostsOfStar);
  EXPECT_EQ(cluster.gpus_per_node, 1);
  EXPECT_EQ(cluster.topology->links(), 2 * kHostsOfStar);
  EXPECT_DOUBLE_EQ(cluster.nic.bandwidth.count(), 10e9);
  EXPECT_EQ(cluster.nic.latency, Seconds{0});
  EXPECT_NEAR(cluster.link_between(0, 11).latency.count(), 20e-6, 1e-12);
  EXPECT_DOUBLE_EQ(cluster.link_between(0, 11).bandwidth.count(), 10e9);
  EXPECT_TRUE(cluster.speeds.empty());
  EXPECT_FALSE(cluster.flow_cap.has_value());
}

TEST(PlatformXml, HostsAreNumberedByNameInNaturalOrderAndSpeedsAreOfTheFastest) {
  const Cluster cluster = read_platform_xml(sample("routes.xml"));
  ASSERT_EQ(cluster.nodes, 3);
  EXPECT_EQ(cluster.topology->switch_of(0), "n1");
  EXPECT_EQ(cluster.topology->switch_of(1), "n2");
  EXPECT_EQ(cluster.topology->switch_of(2), "n10");
  EXPECT_EQ(cluster.speeds, (std::vector<DeviceSpeed>{{2, std::nullopt, 0.5}}));
  EXPECT_EQ(cluster.compute_factor(2), 2.0);
  EXPECT_EQ(read_platform_xml(sample("star.xml")).topology->switch_of(10), "n10");
}

TEST(PlatformXml, ASharedLinkIsOneForBothDirectionsAndASplitOneTwo) {
  const Cluster cluster = read_platform_xml(sample("routes.xml"));
  const auto names = [&](int from, int to) {
    std::vector<std::string> found;
    for (const int link : test::path_between(*cluster.topology, from, to)) {
      found.push_back(cluster.topology->ends(link).from);
    }
    return found;
  };
  EXPECT_THAT(names(0, 1), ElementsAre("bus", "cap"));
  EXPECT_THAT(names(1, 0), ElementsAre("cap", "bus"));
  EXPECT_THAT(names(0, 2), ElementsAre("cable_UP", "cap"));
  EXPECT_THAT(names(2, 1), ElementsAre("cable_DOWN", "cap", "bus"));
  EXPECT_EQ(cluster.topology->links(), 4);
  EXPECT_NEAR(cluster.link_between(2, 1).latency.count(), 8e-6, 1e-12);
  const LinkTable table(cluster);
  EXPECT_EQ(table.name(table.links_between(0, 1)[1]), "the link bus");
}

TEST(PlatformXml, FatpipesThatBoundAllRoutesBecomeTheCapOfAMessage) {
  const Cluster cluster = read_platform_xml(sample("routes.xml"));
  ASSERT_TRUE(cluster.flow_cap.has_value());
  EXPECT_DOUBLE_EQ(cluster.flow_cap->count(), 2e9);
  EXPECT_DOUBLE_EQ(cluster.link_between(0, 1).bandwidth.count(), 2e9);
  // 4 Gbps of bus, both directions together: two messages of 2 Gbps are not slowed, four are.
  EXPECT_FALSE(shares_links(*make_schedule({CollectiveKind::kAllReduce, Elements{8}, Bytes{4}}, 2),
                            cluster));
  EXPECT_FALSE(
      cluster_of(
          zone(kHosts + link_text("l", "bandwidth=\"1Gbps\" latency=\"1us\"") +
               link_text("f", "bandwidth=\"2Gbps\" latency=\"3us\" sharing_policy=\"FATPIPE\"") +
               "<route src=\"a\" dst=\"b\"><link_ctn id=\"l\"/><link_ctn id=\"f\"/></route>"))
          .flow_cap.has_value());
}

TEST(PlatformXml, FatpipesThatBoundSomeRoutesAndNotOthersAreRefused) {
  const std::string slow =
      link_text("f", "bandwidth=\"1Gbps\" latency=\"1us\" sharing_policy=\"FATPIPE\"");
  const std::string fast = link_text("l", "bandwidth=\"2Gbps\" latency=\"1us\"");
  EXPECT_THAT(refusal_of(zone(kHosts + "<host id=\"c\" speed=\"1Gf\"/>" + slow + fast +
                              route_text("a", "b", "f") + route_text("a", "c", "l") +
                              route_text("b", "c", "l"))),
              AllOf(HasSubstr("FATPIPE links bound a message"), HasSubstr("from a to c")));
}

TEST(PlatformXml, ARingTakesWhatItTakesOnTheSameClusterOfOurs) {
  const Cluster read = read_platform_xml(sample("star.xml"));
  const Cluster ours = test::flat_cluster(kHostsOfStar, 10e9, 20e-6);
  const Plan plan = ring(kHostsOfStar);
  // 2 (n - 1) rounds of a latency and a chunk.
  const double expected = 22 * (20e-6 + 8.0 * kChunk / 10e9);
  for (const Cluster& cluster : {read, ours}) {
    EXPECT_NEAR(end_of(plan, cluster, SimgridMode::kCoupled), expected, expected * 1e-5);
    EXPECT_NEAR(end_of(plan, cluster, SimgridMode::kStep), expected, expected * 1e-5);
    EXPECT_NEAR(recurrence_end(plan, cluster).count(), expected, expected * 1e-9);
  }
}

/// A round of a ring, as often as asked for, on the file itself by SimGrid alone.
double rounds_by_simgrid(const std::string& path, int rounds) {
  ChildProcess child([&] {
    namespace s4u = simgrid::s4u;
    std::vector<std::string> words = {"test", "--log=root.thres:critical"};
    for (const SimgridOption& option : simgrid_options()) {
      words.push_back(fmt::format("--cfg={}:{}", option.name, option.value));
    }
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    int count = static_cast<int>(words.size());
    s4u::Engine engine(&count, arguments.data());
    engine.load_platform(path);
    const std::vector<s4u::Host*> hosts = engine.get_all_hosts();
    s4u::Actor::create("ring", hosts[0], [&] {
      for (int round = 0; round < rounds; ++round) {
        std::vector<s4u::CommPtr> messages;
        for (std::size_t i = 0; i < hosts.size(); ++i) {
          messages.push_back(
              s4u::Comm::sendto_async(hosts[i], hosts[(i + 1) % hosts.size()], kChunk));
        }
        s4u::Comm::wait_all(messages);
      }
    });
    engine.run();
    return fmt::format("{}", s4u::Engine::get_clock());
  });
  return std::stod(child.finish());
}

TEST(PlatformXml, ARingTakesWhatSimgridItselfTakesOnTheFile) {
  // On a star the order of the ring is nothing to the time.
  const double alone = rounds_by_simgrid(sample("star.xml"), 22);
  const Cluster cluster = read_platform_xml(sample("star.xml"));
  const double ours = end_of(ring(kHostsOfStar), cluster, SimgridMode::kStep);
  EXPECT_NEAR(ours, alone, alone * 1e-5);
}

TEST(PlatformXml, AFileThatEndsAmidItsTextOrIsNoXmlIsRefusedInSimgridsWords) {
  EXPECT_THAT(refusal_of(kHead + "<zone id=\"z\" routing=\"Full\"><host id=\"a\""),
              HasSubstr("SimGrid: Parse error"));
  EXPECT_THAT(refusal_of(""), HasSubstr("SimGrid: Parse error"));
  EXPECT_THAT(refusal_of("hello"), HasSubstr("Unexpected character `h'"));
}

TEST(PlatformXml, UnknownTagsUnitsLinksAndNamesTwiceAreRefusedInSimgridsWords) {
  EXPECT_THAT(refusal_of(zone("<hst id=\"a\" speed=\"1Gf\"/>")), HasSubstr("SimGrid: Parse error"));
  EXPECT_THAT(refusal_of(pair("bandwidth=\"1Gxps\" latency=\"1us\"")),
              HasSubstr("unknown unit: Gxps"));
  EXPECT_THAT(refusal_of(zone(kHosts + route_text("a", "b", "none"))), HasSubstr("none"));
  EXPECT_THAT(refusal_of(zone(kHosts + kHosts)), HasSubstr("second host named 'a'"));
}

TEST(PlatformXml, WhatEndsSimgridIsRefusedToo) {
  EXPECT_THAT(refusal_of(kHead + "<zone id=\"z\" routing=\"Fll\">" + kHosts + "</zone></platform>"),
              AnyOf(HasSubstr("Not a valid model"), HasSubstr("SimGrid")));
  EXPECT_THAT(refusal_of(zone(kHosts)),
              AnyOf(HasSubstr("SimGrid cannot read it"), HasSubstr("no link")));
  EXPECT_THAT(refusal_of(zone(kHosts) + "<actor host=\"a\" function=\"f\"/>"),
              HasSubstr("SimGrid"));
}

TEST(PlatformXml, NumbersThatSimgridTakesAndNoLinkHasAreRefused) {
  EXPECT_THAT(refusal_of(pair("bandwidth=\"-1Gbps\" latency=\"1us\"")),
              HasSubstr("link l: a bandwidth of -125000000 bytes/s found"));
  EXPECT_THAT(refusal_of(pair("bandwidth=\"0Gbps\" latency=\"1us\"")), HasSubstr("more than zero"));
  EXPECT_THAT(refusal_of(pair("bandwidth=\"1Gbps\" latency=\"-1us\"")),
              HasSubstr("link l: a latency of -1e-06 s found"));
  EXPECT_EQ(cluster_of(pair("bandwidth=\"1Gbps\" latency=\"0us\"")).link_between(0, 1).latency,
            Seconds{0});
}

TEST(PlatformXml, AMissingUnitIsRefusedWhereSimgridOnlyWarns) {
  EXPECT_THAT(refusal_of(pair("bandwidth=\"1e9\" latency=\"1us\"")),
              AllOf(HasSubstr("'1e9'"), HasSubstr("bandwidth")));
}

TEST(PlatformXml, NoHostOneHostAndTooManyAreRefused) {
  EXPECT_THAT(refusal_of(zone("")), HasSubstr("0 hosts found; 2 to 512 are accepted"));
  EXPECT_THAT(refusal_of(zone("<host id=\"a\" speed=\"1Gf\"/>")), HasSubstr("1 hosts found"));
  EXPECT_THAT(refusal_of(kHead + "<cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-512\" "
                                 "speed=\"1Gf\" bw=\"1Gbps\" lat=\"1us\"/></platform>"),
              HasSubstr("513 hosts found"));
}

TEST(PlatformXml, WhatChangesOverTimeIsRefusedUnlessItIsAComment) {
  const std::string changing = "bandwidth=\"1Gbps\" latency=\"1us\" bandwidth_file=\"b.txt\"";
  EXPECT_THAT(refusal_of(pair(changing)), HasSubstr("bandwidth_file found"));
  EXPECT_EQ(
      cluster_of(pair("bandwidth=\"1Gbps\" latency=\"1us\"") + "<!-- bandwidth_file -->").nodes, 2);
}

TEST(PlatformXml, IsFoundWhereverAClusterIsNamed) {
  EXPECT_EQ(find_any_cluster(sample("star.xml")).nodes, kHostsOfStar);
  EXPECT_EQ(find_any_cluster("study-24x4-v100-10g").nodes, 24);
  EXPECT_THAT(test::input_error_of([] { find_any_cluster("missing.xml"); }),
              StartsWith("missing.xml: neither a file"));
}

TEST(NaturalOrder, TakesRunsOfDigitsForNumbers) {
  EXPECT_TRUE(naturally_before("n2", "n10"));
  EXPECT_FALSE(naturally_before("n10", "n2"));
  EXPECT_TRUE(naturally_before("a9-b", "a10-a"));
  EXPECT_TRUE(naturally_before("n", "n1"));
  EXPECT_TRUE(naturally_before("n007", "n8"));
  EXPECT_FALSE(naturally_before("n1", "n1"));
  EXPECT_TRUE(naturally_before("n01", "n1") != naturally_before("n1", "n01"));
}

}  // namespace
}  // namespace gradwire
