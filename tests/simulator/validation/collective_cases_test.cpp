#include "simulator/validation/collective_cases.hpp"

#include <gtest/gtest.h>

#include "simulator/validation/validation_set.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/thrown.hpp"

namespace gradwire {
namespace {

/// A valid set with `from` replaced by `to`.
std::string set_text(const std::string& from = "", const std::string& to = "") {
  std::string text = R"(source: "a run of ours"
collective_network {
  name: "n" source: "rows on two nodes" gpu_generation: "ampere"
  line { latency: "10us" bandwidth: "8Gbps" }
  line { from: "1MiB" latency: "20us" bandwidth: "80Gbps" }
  line { algorithm: "double_tree" latency: "5us" bandwidth: "80Gbps" }
}
collective {
  name: "c" network: "n" collective: "all_gather" size: "64MiB" ranks: 8 gpus_per_node: 4
  measured: "2ms"
}
)";
  if (from.empty()) return text;
  return text.replace(text.find(from), from.size(), to);
}

class CollectiveCases : public testing::Test {
 protected:
  std::string refusal(const std::string& from, const std::string& to) {
    const auto path = folder_.write("s.txtpb", set_text(from, to));
    return test::input_error_of([&] { read_validation_set(path); });
  }

  void expect_refusal(const std::string& from, const std::string& to, const std::string& told) {
    const std::string text = refusal(from, to);
    EXPECT_NE(text.find(told), std::string::npos) << text;
  }

  test::TemporaryFolder folder_;
};

TEST_F(CollectiveCases, AreReadWithTheirNetworksLinesByMessageSize) {
  const ValidationSet set = read_validation_set(folder_.write("s.txtpb", set_text()));
  ASSERT_EQ(set.collectives.size(), 1U);
  EXPECT_EQ(set.collectives[0].kind, CollectiveKind::kAllGather);
  EXPECT_EQ(set.collectives[0].nodes(), 2);
  EXPECT_EQ(set.collectives[0].nics, 1);
  EXPECT_EQ(set.collectives[0].source, "a run of ours");
  const CollectiveNetwork& network = set.collective_networks.at(0);
  ASSERT_EQ(network.ring.size(), 2U);
  EXPECT_EQ(network.ring[1].from, Bytes{1 << 20});
  EXPECT_EQ(network.tree->latency, Seconds{5e-6});
}

TEST_F(CollectiveCases, RefuseAFigureWithoutItsSource) {
  expect_refusal("source: \"a run of ours\"", "", "collective \"c\": source");
  expect_refusal(" source: \"rows on two nodes\"", "", "collective_network \"n\": source");
  expect_refusal("gpu_generation", "intra_latency: \"1us\" gpu_generation", "intra_source");
}

TEST_F(CollectiveCases, RefuseLinesThatDoNotSayWhatAMessageTakes) {
  expect_refusal("from: \"1MiB\"", "", "line.from: found not above the line before it");
  expect_refusal("latency: \"20us\" bandwidth: \"80Gbps\"", "latency: \"20us\"",
                 "line.bandwidth: none found for the largest messages");
  expect_refusal("latency: \"10us\" bandwidth: \"8Gbps\"", "latency: \"10us\"",
                 "intra_bandwidth: none found, and a line has no bandwidth");
  expect_refusal("double_tree", "double_ring", "ring or double_tree is accepted");
  expect_refusal("latency: \"5us\" bandwidth: \"80Gbps\"", "latency: \"5us\"",
                 "a double tree's is needed");
}

TEST_F(CollectiveCases, RefuseACollectiveThatIsNotModelled) {
  expect_refusal("network: \"n\"", "network: \"m\"", "\"m\" found; the set has n");
  expect_refusal("all_gather", "all_to_all", "all_reduce, all_gather or reduce_scatter");
  expect_refusal("ranks: 8", "ranks: 6", "6 on nodes of 4 found");
  expect_refusal("ranks: 8", "ranks: 4", "full nodes, two or more");
  expect_refusal("64MiB", "3B", "a whole number of floats");
  expect_refusal("measured: \"2ms\"", "measured: \"0ms\"", "measured: 0 found");
  expect_refusal("gpu_generation: \"ampere\"", "gpu_generation: \"a100\"", "volta, ampere, hopper");
}

TEST_F(CollectiveCases, RefuseToStandBesideCasesOfAnotherKind) {
  expect_refusal("source: \"a run of ours\"",
                 "source: \"a run of ours\" claims { study: \"x.txtpb\" }", "and not several");
}

}  // namespace
}  // namespace gradwire
