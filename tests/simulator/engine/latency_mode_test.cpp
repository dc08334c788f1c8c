// How a round's latency counts, on the ring that tells the modes apart: 96 GPUs, 24 hops over NICs
// (10 Gbps, 20 us) and 72 inside nodes (much faster, 3 us). Figures: a study of blocking and
// overlapping senders, and the arithmetic beside them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulator/engine/recurrence/recurrence_engine.hpp"
#include "simulator/engine/simgrid/simgrid_engine.hpp"
#include "simulator/plan/planner.hpp"
#include "tests/support/clusters.hpp"
#include "tests/support/plans.hpp"
#include "tests/support/thrown.hpp"

namespace gradwire {
namespace {

Plan ring_of(std::int64_t bytes, LatencyMode mode) {
  return make_collective_plan(
      make_schedule({CollectiveKind::kAllReduce, Elements{bytes / 4}, Bytes{4}}, 96), mode);
}

struct Case {
  LatencyMode mode;
  std::int64_t bytes;
  double milliseconds;
};

class LatencyModes : public testing::TestWithParam<Case> {};

TEST_P(LatencyModes, GiveTheFiguresOfTheStudyByRecurrenceAndBySimgridCoupled) {
  const Plan plan = ring_of(GetParam().bytes, GetParam().mode);
  const Cluster cluster = test::mixed_cluster(24, 4);
  const double expected = GetParam().milliseconds * 1e-3;
  const double half_of_the_last_digit_and_a_rounded_chunk = 0.006e-3;
  EXPECT_NEAR(play_recurrence(plan, cluster, {}).end.count(), expected,
              half_of_the_last_digit_and_a_rounded_chunk);
  EXPECT_NEAR(play_recurrence_rank_by_rank(plan, cluster, {}).end.count(), expected,
              half_of_the_last_digit_and_a_rounded_chunk);
  EXPECT_NEAR(play_simgrid(plan, cluster, {}, SimgridSettings{}).end.count(), expected,
              half_of_the_last_digit_and_a_rounded_chunk);
}

// A chunk of 25 MB over the NIC takes 208.33 us, of 2.5 MB 20.83 us; 190 rounds.
// blocking: 190 (20 us + chunk); mean: 190 ((24 * 20 + 72 * 3) / 96 us + chunk), the mean being
// 7.25 us; overlapped: 190 chunks and one latency of 20 us.
INSTANTIATE_TEST_SUITE_P(Ring, LatencyModes,
                         testing::Values(Case{LatencyMode::kBlocking, 25'000'000, 43.38},
                                         Case{LatencyMode::kOverlapped, 25'000'000, 39.60},
                                         Case{LatencyMode::kMean, 25'000'000, 40.96},
                                         Case{LatencyMode::kBlocking, 2'500'000, 7.76},
                                         Case{LatencyMode::kOverlapped, 2'500'000, 3.98},
                                         Case{LatencyMode::kMean, 2'500'000, 5.34}));

TEST(OverlappedLatency, OfAHomogeneousRingIsTheBlockingOne) {
  // Nobody has anything to send before the chunk in front has arrived: 46 (20 us + 260417 * 3.2 ns)
  // on 24 ranks.
  const Cluster cluster = test::flat_cluster(24, 10e9, 20e-6);
  const Plan plan = make_collective_plan(
      make_schedule({CollectiveKind::kAllReduce, Elements{6'250'000}, Bytes{4}}, 24),
      LatencyMode::kOverlapped);
  const double expected = 46 * (20e-6 + 260417 * 3.2e-9);
  EXPECT_NEAR(play_recurrence(plan, cluster, {}).end.count(), expected, 1e-9 * expected);
}

TEST(OverlappedLatency, IsRefusedByTheStepModeAsAnInputError) {
  const std::string text = test::input_error_of([] {
    (void)play_simgrid(ring_of(2'500'000, LatencyMode::kOverlapped), test::mixed_cluster(24, 4), {},
                       {SimgridMode::kStep, false});
  });
  EXPECT_THAT(text, testing::AllOf(testing::HasSubstr("overlapped"),
                                   testing::HasSubstr("accepted: blocking, mean")));
}

}  // namespace
}  // namespace gradwire
