#include "traces/model/trace_merge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/thrown.hpp"
#include "traces/model/arrival_skew.hpp"
#include "traces/model/trace_checks.hpp"
#include "traces/model/trace_codec.hpp"

namespace gradwire {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int64_t kEpoch = 1'700'000'000'000'000'000;

/// Two iterations (numbers 5 and 6) of 1 ms of a rank of two on one host: a backward kernel with
/// its gradient, and an all-reduce that starts `late` behind 500 us. The trace begins `late` behind
/// the epoch time, and its device is 3.
RankTrace rank_trace(std::int32_t rank, std::int64_t late_us) {
  RankTrace result{"rank" + std::to_string(rank) + ".gwt", {}};
  Trace& trace = result.trace;
  const Nanoseconds us{1000};
  trace.base_time = Nanoseconds{kEpoch} + late_us * us;
  trace.rank = rank;
  trace.world_size = 2;
  trace.devices.push_back({3, "GPU of rank " + std::to_string(rank), {}, {}, {}});
  trace.software = {{"host", "0badcafe"}, {"pid", std::to_string(rank)}};
  trace.names = rank == 0 ? std::vector<std::string>{"backward", "reduce"}
                          : std::vector<std::string>{"reduce", "backward"};
  for (std::int32_t i = 0; i < 2; ++i) {
    const Nanoseconds at = 1000 * i * us;
    trace.iterations.push_back({5 + i, at, at + 900 * us, i == 0, false, true});
    Kernel kernel;
    kernel.name = rank == 0 ? 0 : 1;
    kernel.device = 3;
    kernel.start = at + 100 * us;
    kernel.duration = 200 * us;
    kernel.iteration = i;
    kernel.in_backward = true;
    kernel.launch = Launch{at + 50 * us, us, 1};
    trace.kernels.push_back(kernel);
    trace.backwards.push_back({i, kernel.start, kernel.end()});
    Gradient gradient;
    gradient.iteration = i;
    gradient.elements = Elements{10};
    gradient.ready = kernel.end();
    gradient.device = 3;
    trace.gradients.push_back(gradient);
    kernel.name = rank == 0 ? 1 : 0;
    kernel.in_backward = false;
    kernel.category = KernelCategory::kCommunication;
    kernel.start = at + 500 * us;
    trace.kernels.push_back(kernel);
    Communication communication;
    communication.collective = CollectiveKind::kAllReduce;
    communication.iteration = i;
    communication.kernel = trace.kernels.size() - 1;
    trace.communications.push_back(communication);
  }
  return result;
}

std::string fault_of(RankTrace first, RankTrace second) {
  return test::input_error_of([&] { merge_traces({std::move(first), std::move(second)}); });
}

TEST(TraceMerge, KeepsTheLowestRanksModelAndEverybodysKernels) {
  const MergedTrace merged = merge_traces({rank_trace(1, 30), rank_trace(0, 0)});
  const Trace& trace = merged.trace;
  EXPECT_TRUE(find_trace_defects(trace).empty()) << find_trace_defects(trace).front();
  EXPECT_EQ(trace.rank, 0);
  EXPECT_EQ(trace.world_size, 2);
  EXPECT_EQ(trace.kernels.size(), 8u);
  EXPECT_EQ(trace.communications.size(), 4u);
  EXPECT_EQ(trace.gradients.size(), 2u);
  EXPECT_EQ(trace.backwards.size(), 2u);
  for (const Gradient& gradient : trace.gradients) EXPECT_EQ(gradient.device, 0);
  EXPECT_EQ(decode_trace(encode_trace(trace), "merged").trace, trace);
}

TEST(TraceMerge, EachRankKeepsADeviceOfItsOwn) {
  const Trace trace = merge_traces({rank_trace(1, 30), rank_trace(0, 0)}).trace;
  ASSERT_EQ(trace.devices.size(), 2u);
  EXPECT_EQ(trace.devices[0].index, 0);
  EXPECT_EQ(trace.devices[0].name, "GPU of rank 0");
  EXPECT_EQ(trace.devices[1].index, 1);
  EXPECT_EQ(trace.devices[1].name, "GPU of rank 1");
}

TEST(TraceMerge, AlignsByTheTimeAtWhichEachTraceBegan) {
  const MergedTrace merged = merge_traces({rank_trace(0, 40), rank_trace(1, 0)});
  EXPECT_TRUE(merged.one_clock);
  EXPECT_EQ(merged.trace.base_time, Nanoseconds{kEpoch});
  // Rank 1 begins first; rank 0, device 0, is 40 us later.
  EXPECT_EQ(merged.trace.kernels[0].device, 1);
  EXPECT_EQ(merged.trace.kernels[0].start, Nanoseconds{100'000});
  EXPECT_EQ(merged.trace.kernels[1].device, 0);
  EXPECT_EQ(merged.trace.kernels[1].start, Nanoseconds{140'000});
  EXPECT_EQ(merged.trace.kernels[1].launch->start, Nanoseconds{90'000});
  EXPECT_EQ(merged.trace.gradients[0].ready, Nanoseconds{340'000});
  EXPECT_EQ(merged.trace.iterations[0].start, Nanoseconds{40'000});
}

TEST(TraceMerge, CommunicationsStillPointAtTheirKernels) {
  const Trace trace = merge_traces({rank_trace(0, 40), rank_trace(1, 0)}).trace;
  for (const Communication& communication : trace.communications) {
    const Kernel& kernel = trace.kernels[*communication.kernel];
    EXPECT_EQ(kernel.category, KernelCategory::kCommunication);
    EXPECT_EQ(trace.names[kernel.name], "reduce");
    EXPECT_EQ(kernel.iteration, communication.iteration);
  }
}

TEST(TraceMerge, IterationsAreMatchedByNumberAndOneThatARankLacksIsIncomplete) {
  RankTrace second = rank_trace(1, 0);
  second.trace.iterations[0].number = 6;
  second.trace.iterations[1].number = 7;
  const MergedTrace merged = merge_traces({rank_trace(0, 0), std::move(second)});
  ASSERT_EQ(merged.trace.iterations.size(), 3u);
  EXPECT_FALSE(merged.trace.iterations[0].complete);
  EXPECT_TRUE(merged.trace.iterations[1].complete);
  EXPECT_FALSE(merged.trace.iterations[2].complete);
  EXPECT_THAT(merged.notes, Contains("1 iterations are in every trace, 2 are not"));
}

TEST(TraceMerge, FactsThatDifferAreNobodys) {
  const Trace trace = merge_traces({rank_trace(0, 0), rank_trace(1, 0)}).trace;
  EXPECT_THAT(trace.software, ElementsAre(Fact{"host", "0badcafe"}, Fact{"merged ranks", "0, 1"}));
}

TEST(TraceMerge, ClocksOfSeveralHostsAreNotTakenForOne) {
  RankTrace second = rank_trace(1, 3'000'000);  // three seconds off
  second.trace.software[0].value = "00c0ffee";
  const MergedTrace merged = merge_traces({rank_trace(0, 0), std::move(second)});
  EXPECT_FALSE(merged.one_clock);
  EXPECT_THAT(merged.notes, Contains(HasSubstr("2 hosts, whose clocks were not aligned")));
}

TEST(TraceMerge, RefusesWhatIsNotOfOneJob) {
  EXPECT_THAT(fault_of(rank_trace(0, 0), rank_trace(0, 5)),
              HasSubstr("rank0.gwt: is of rank 0, as rank0.gwt is"));
  RankTrace other = rank_trace(1, 0);
  other.trace.world_size = 4;
  EXPECT_THAT(fault_of(rank_trace(0, 0), other), HasSubstr("is of a job of 4 ranks"));
  EXPECT_THAT(fault_of(rank_trace(0, 0), rank_trace(1, 60'000'000)),
              HasSubstr("rank1.gwt: ran at another time than rank0.gwt"));
  RankTrace unnumbered = rank_trace(1, 0);
  unnumbered.trace.rank.reset();
  EXPECT_THAT(fault_of(rank_trace(0, 0), unnumbered), HasSubstr("does not tell its rank"));
  RankTrace later = rank_trace(1, 0);
  for (IterationMark& mark : later.trace.iterations) mark.number += 100;
  EXPECT_THAT(fault_of(rank_trace(0, 0), later), HasSubstr("no iteration number in common"));
  RankTrace outside = rank_trace(1, 0);
  outside.trace.rank = 2;
  EXPECT_THAT(fault_of(rank_trace(0, 0), outside), HasSubstr("is of rank 2 of a job of 2"));
  EXPECT_THAT(test::input_error_of([] { merge_traces({rank_trace(0, 0)}); }),
              HasSubstr("1 trace found; two or more"));
}

TEST(ArrivalSkew, IsTheTimeFromTheFirstRankToTheLast) {
  const MergedTrace merged = merge_traces({rank_trace(0, 0), rank_trace(1, 30)});
  const std::vector<ArrivalSkew> skews = find_arrival_skews(merged.trace);
  ASSERT_EQ(skews.size(), 1u);
  EXPECT_EQ(skews[0].collective, CollectiveKind::kAllReduce);
  EXPECT_EQ(skews[0].collectives, 2u);
  EXPECT_EQ(skews[0].median, Nanoseconds{30'000});
  EXPECT_EQ(skews[0].largest, Nanoseconds{30'000});
}

TEST(ArrivalSkew, OfOneRankOrOfUnlikeRanksIsNone) {
  EXPECT_TRUE(find_arrival_skews(rank_trace(0, 0).trace).empty());
  RankTrace other = rank_trace(1, 30);
  other.trace.communications[0].collective = CollectiveKind::kAllGather;
  const std::vector<ArrivalSkew> skews =
      find_arrival_skews(merge_traces({rank_trace(0, 0), std::move(other)}).trace);
  ASSERT_EQ(skews.size(), 1u);
  EXPECT_EQ(skews[0].collectives, 1u);
}

}  // namespace
}  // namespace gradwire
