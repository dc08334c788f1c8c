#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulator/collectives/gloo_selection.hpp"
#include "simulator/collectives/nccl_selection.hpp"
#include "simulator/collectives/registry.hpp"
#include "tests/support/thrown.hpp"

namespace gradwire {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// 24 nodes of 4 A100 on 10 Gbps: 1.25 GB/s a node.
NcclJob study_cluster() {
  NcclJob job;
  job.ranks = 96;
  job.nodes = 24;
  job.bandwidth = BitsPerSecond{10e9};
  return job;
}

NcclPrediction prediction(CollectiveKind kind, Bytes size, const NcclJob& job,
                          std::string_view algorithm, NcclProtocol protocol) {
  for (const NcclPrediction& found : nccl_predictions(kind, size, job)) {
    if (found.algorithm == algorithm && found.protocol == protocol) return found;
  }
  ADD_FAILURE() << algorithm << " " << name_of(protocol) << " is not there";
  return {};
}

TEST(NcclModel, OfALargeRingAllReduceIsItsTablesWrittenOut) {
  // base 8.4; 190 steps of which 2 * 24 cross at 14 and 142 stay inside at 3.4 (above 3 * 1.0 for
  // posting); 1.4 times for the plateau of large rings. 1.25 GB/s * 96 / 190.
  const double latency = 1.4 * (8.4 + 142 * 3.4 + 48 * 14.0) * 1e-6;
  const double bandwidth = 1.25e9 * 96 / 190;
  const NcclPrediction ring = prediction(CollectiveKind::kAllReduce, Bytes{100'000'000},
                                         study_cluster(), "ring", NcclProtocol::kSimple);
  EXPECT_NEAR(ring.latency.count(), latency, 1e-12);
  EXPECT_NEAR(ring.bandwidth.bytes_per_second(), bandwidth, 1.0);
  EXPECT_NEAR(ring.time.count(), latency + 1e8 / bandwidth, 1e-9);
}

TEST(NcclModel, OfASmallTreeIsItsTablesWrittenOut) {
  // LL: base 6.8, twice 3 steps inside at 0.6 and floor(log2 24) = 4 across at 5.0; 1.25 GB/s *
  // 0.92 / 3.8 / 2, of which 0.7 is reached at 4 KiB = 64 * 2^6.
  const double latency = (6.8 + 2 * (3 * 0.6 + 4 * 5.0)) * 1e-6;
  const double bandwidth = 1.25e9 * 0.92 / 3.8 / 2 * 0.7;
  const NcclPrediction tree = prediction(CollectiveKind::kAllReduce, Bytes{4096}, study_cluster(),
                                         "double_tree", NcclProtocol::kLl);
  EXPECT_NEAR(tree.latency.count(), latency, 1e-12);
  EXPECT_NEAR(tree.time.count(), latency + 4096 / bandwidth, 1e-10);
}

TEST(NcclModel, CapsTheBandwidthOfProtocolsOnFastLinks) {
  // One node of 8 H100 with 480 GB/s in 16 channels: LL at most 87.7 GB/s times 8/14, LL128 0.92.
  NcclJob job;
  job.ranks = 8;
  job.bandwidth = BitsPerSecond::from_bytes_per_second(480e9);
  job.channels = 16;
  job.generation = GpuGeneration::kHopper;
  const auto bandwidth = [&](NcclProtocol protocol) {
    return prediction(CollectiveKind::kAllReduce, Bytes{1 << 30}, job, "ring", protocol)
        .bandwidth.bytes_per_second();
  };
  EXPECT_NEAR(bandwidth(NcclProtocol::kLl), 87.7e9 * 8 / 14, 1.0);
  EXPECT_NEAR(bandwidth(NcclProtocol::kLl128), 480e9 * 0.92 * 8 / 14, 1.0);
  EXPECT_NEAR(bandwidth(NcclProtocol::kSimple), 480e9 * 8 / 14, 1.0);
}

TEST(NcclChoice, GoesFromAQuickTreeToAFullRingAsTheSizeGrows) {
  const auto choice = [](std::int64_t size) {
    return nccl_choice(CollectiveKind::kAllReduce, Bytes{size}, study_cluster());
  };
  EXPECT_EQ(choice(1).algorithm, "double_tree");
  EXPECT_EQ(choice(1).protocol, NcclProtocol::kLl);
  EXPECT_EQ(choice(1'000'000'000).algorithm, "ring");
  EXPECT_EQ(choice(1'000'000'000).protocol, NcclProtocol::kSimple);
}

TEST(NcclChoice, IsTheFastestPredictionAndAnAlgorithmOfTheRegistryAtEverySize) {
  for (const CollectiveKind kind :
       {CollectiveKind::kAllReduce, CollectiveKind::kAllGather, CollectiveKind::kReduceScatter,
        CollectiveKind::kBroadcast, CollectiveKind::kReduce}) {
    for (const int nodes : {1, 2, 3, 24}) {
      NcclJob job = study_cluster();
      job.ranks = 4 * nodes;
      job.nodes = nodes;
      for (std::int64_t size = 1; size <= std::int64_t{1} << 30; size *= 4) {
        const NcclPrediction choice = nccl_choice(kind, Bytes{size}, job);
        EXPECT_EQ(find_algorithm(kind, choice.algorithm).kind, kind);
        for (const NcclPrediction& other : nccl_predictions(kind, Bytes{size}, job)) {
          EXPECT_LE(choice.time, other.time);
          EXPECT_GT(other.time.count(), 0.0);
        }
      }
    }
  }
}

TEST(NcclChoice, HasNoLl128WhereItMayNotBeUsed) {
  NcclJob job = study_cluster();
  EXPECT_EQ(nccl_predictions(CollectiveKind::kAllReduce, Bytes{1000}, job).size(), 6U);
  job.ll128 = false;
  EXPECT_EQ(nccl_predictions(CollectiveKind::kAllReduce, Bytes{1000}, job).size(), 4U);
}

TEST(NcclChoice, RefusesWhatNcclSendsMessageByMessage) {
  EXPECT_THAT(test::input_error_of([] {
                (void)nccl_choice(CollectiveKind::kAllToAll, Bytes{1000}, study_cluster());
              }),
              AllOf(HasSubstr("nccl"), HasSubstr("all_to_all"), HasSubstr("all_reduce")));
}

TEST(GpuGeneration, IsReadFromItsNameOrRefused) {
  EXPECT_EQ(gpu_generation_from_name("volta"), GpuGeneration::kVolta);
  EXPECT_THAT(test::input_error_of([] { (void)gpu_generation_from_name("pascal"); }),
              AllOf(HasSubstr("pascal"), HasSubstr("volta, ampere, hopper")));
}

TEST(GlooChoice, IsAnAlgorithmOfTheRegistryOrRefused) {
  for (const CollectiveKind kind : {CollectiveKind::kAllReduce, CollectiveKind::kAllGather,
                                    CollectiveKind::kBroadcast, CollectiveKind::kAllToAll}) {
    EXPECT_EQ(find_algorithm(kind, gloo_choice(kind)).algorithm, gloo_choice(kind));
  }
  EXPECT_EQ(gloo_choice(CollectiveKind::kAllReduce), "ring");
  EXPECT_THAT(test::input_error_of([] { (void)gloo_choice(CollectiveKind::kReduce); }),
              AllOf(HasSubstr("gloo"), HasSubstr("reduce"), HasSubstr("accepted")));
}

}  // namespace
}  // namespace gradwire
