#include "simulator/validation/measured_collectives.hpp"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace gradwire {
namespace {

// 100 MB/s and 1 ms a message; 10 us and 1 GB/s below 1 MiB.
constexpr const char* kRing =
    "line { latency: \"10us\" bandwidth: \"8Gbps\" } "
    "line { from: \"1MiB\" latency: \"1ms\" bandwidth: \"800Mbps\" } ";

class MeasuredCollectives : public testing::Test {
 protected:
  /// One case on a network of `lines`, measured as 1 s.
  CaseOutcome play(const std::string& lines, const std::string& machine,
                   const std::string& intra = "") {
    const SetOutcome outcome = play_set(read_validation_set(folder_.write(
        "s.txtpb",
        "source: \"a test\" collective_network { name: \"n\" source: \"x\" "
        "gpu_generation: \"ampere\" " +
            lines + intra + "} collective { name: \"c\" network: \"n\" measured: \"1s\" " +
            machine + " }")));
    EXPECT_EQ(outcome.failures(), 0U);
    return outcome.cases.at(0);
  }

  double simgrid_of(const std::string& lines, const std::string& machine,
                    const std::string& intra = "") {
    return play(lines, machine, intra).answers.at(2).time.count();
  }

  test::TemporaryFolder folder_;
};

TEST_F(MeasuredCollectives, ARingTakesTheLineThatHoldsForItsMessages) {
  // 40 MB on 4 ranks: 6 messages of 10 MB, above 1 MiB.
  EXPECT_NEAR(simgrid_of(kRing, "size: \"40MB\" ranks: 4"), 6 * (1e-3 + 0.1), 1e-6);
  // 400 kB: 6 of 100 kB, below; the same vector gathered or scattered: 3.
  const std::string small = "size: \"400kB\" ranks: 4";
  EXPECT_NEAR(simgrid_of(kRing, small), 6 * (10e-6 + 1e-4), 1e-9);
  EXPECT_NEAR(simgrid_of(kRing, small + " collective: \"all_gather\""), 3 * (10e-6 + 1e-4), 1e-9);
  EXPECT_NEAR(simgrid_of(kRing, small + " collective: \"reduce_scatter\""), 3 * (10e-6 + 1e-4),
              1e-9);
}

TEST_F(MeasuredCollectives, OneLineIsThatOfTheLargestMessagesWhateverTheSize) {
  const CaseOutcome outcome = play(kRing, "size: \"400kB\" ranks: 4");
  EXPECT_NEAR(outcome.answers.at(4).time.count(), 6 * (1e-3 + 1e-3), 1e-9);
}

TEST_F(MeasuredCollectives, SeveralNicsCarryAMessageTogetherUntilTheLinksInsideBindIt) {
  const std::string machine = "size: \"40MB\" ranks: 4 gpus_per_node: 2 nics: 2";
  EXPECT_NEAR(simgrid_of(kRing, machine), 6 * (1e-3 + 0.05), 1e-6);
  EXPECT_NEAR(simgrid_of(kRing, machine, "intra_bandwidth: \"1.2Gbps\" intra_source: \"a test\""),
              6 * (1e-3 + 10.0 / 150), 1e-6);
}

TEST_F(MeasuredCollectives, ARingsLatencyIsTheMeanOverItsMessagesWhereThatInsideANodeIsKnown) {
  // Two of four messages of a round leave their nodes.
  EXPECT_NEAR(simgrid_of(kRing, "size: \"40MB\" ranks: 4 gpus_per_node: 2",
                         "intra_latency: \"200us\" intra_source: \"a test\""),
              6 * (0.6e-3 + 0.1), 1e-6);
}

TEST_F(MeasuredCollectives, WhereABandwidthIsNotDeterminedTheLinksInsideTheNodeBound) {
  const std::string lines =
      "line { latency: \"1ms\" } line { from: \"1GiB\" latency: \"1ms\" bandwidth: \"8Gbps\" } ";
  EXPECT_NEAR(simgrid_of(lines, "size: \"40MB\" ranks: 4",
                         "intra_bandwidth: \"80Gbps\" intra_source: \"a test\""),
              6 * (1e-3 + 1e-3), 1e-6);
}

TEST_F(MeasuredCollectives, ATreePaysItsLatencyOnceAHop) {
  // 8 nodes of 4: 3 hops in the node and 3 levels, up and down. Bytes are of no weight: 1 MB at
  // 1e16 byte/s.
  const std::string tree =
      "line { latency: \"1s\" bandwidth: \"8Gbps\" } "
      "line { algorithm: \"double_tree\" latency: \"1ms\" bandwidth: \"100000000Gbps\" } ";
  EXPECT_NEAR(simgrid_of(tree, "size: \"1MB\" ranks: 32 gpus_per_node: 4"), 12e-3, 1e-8);
}

TEST_F(MeasuredCollectives, TheFasterOfRingAndTreeIsPlayedByAllEstimatorsAlike) {
  const std::string lines = std::string(kRing) +
                            "line { algorithm: \"double_tree\" latency: \"1ms\" bandwidth: "
                            "\"800Mbps\" } ";
  for (const char* size : {"400kB", "40MB"}) {
    const std::string machine = std::string("size: \"") + size + "\" ranks: 32 gpus_per_node: 4";
    const CaseOutcome outcome = play(lines, machine);
    const double formula = outcome.answers.at(0).time.count();
    EXPECT_NEAR(outcome.answers.at(1).time.count(), formula, 1e-3 * formula) << size;
    EXPECT_NEAR(outcome.answers.at(2).time.count(), formula, 1e-3 * formula) << size;
    EXPECT_LE(formula, play(kRing, machine).answers.at(0).time.count() * (1 + 1e-9)) << size;
  }
  // A ring of 400 kB: 62 (10 us + 12.5 us); a tree has 12 ms of hops.
  EXPECT_NEAR(simgrid_of(lines, "size: \"400kB\" ranks: 32 gpus_per_node: 4"), 62 * 22.5e-6, 1e-8);
}

TEST_F(MeasuredCollectives, CasesOfOneNetworkCollectiveAndRankCountAreAGroup) {
  const CaseOutcome outcome = play(kRing, "size: \"4MB\" ranks: 4");
  EXPECT_EQ(outcome.group, "n, all_reduce, 4 ranks");
  EXPECT_EQ(name_of(outcome.measured.scores), "collective");
}

}  // namespace
}  // namespace gradwire
