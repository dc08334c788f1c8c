#include "traces/model/iteration_selection.hpp"

#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "tests/support/sample_trace.hpp"
#include "tests/support/training_trace.hpp"
#include "traces/model/trace_checks.hpp"

namespace gradwire {
namespace {

using test::sample_trace;
using test::training_trace;

// training_trace() has three iterations of 10 us, five kernels and three gradients each.

TEST(KeepIterations, GivesWhatATraceOfTheseIterationsAloneWouldHold) {
  const Trace kept = keep_iterations(training_trace(), 1, 2);
  Trace alone;
  test::add_iteration(alone, 0, 4'200);
  test::add_iteration(alone, 10'000, 4'100);
  EXPECT_EQ(kept.kernels, alone.kernels);
  EXPECT_EQ(kept.gradients, alone.gradients);
  EXPECT_EQ(kept.backwards, alone.backwards);
  ASSERT_EQ(kept.iterations.size(), 2U);
  EXPECT_EQ(kept.iterations[0].number, 1);
  EXPECT_EQ(kept.iterations[0].start, Nanoseconds{0});
  EXPECT_EQ(kept.iterations[1].end, Nanoseconds{20'000});
  EXPECT_TRUE(find_trace_defects(kept).empty());
}

TEST(KeepIterations, ThrowsAwayKernelsOfNoIterationAndNamesThatNothingUses) {
  // sample_trace(): kernels 0 and 1 are of iteration 0, kernel 2 (the all-reduce, the third name)
  // of iteration 1, the rest of none.
  const Trace whole = sample_trace();
  const Trace kept = keep_iterations(whole, 1, 1);
  ASSERT_EQ(kept.kernels.size(), 1U);
  ASSERT_EQ(kept.names.size(), 1U);
  EXPECT_EQ(kept.names[0], whole.names[2]);
  EXPECT_EQ(kept.kernels[0].category, KernelCategory::kCommunication);
  EXPECT_TRUE(find_trace_defects(kept).empty());
}

TEST(KeepIterations, CommunicationsFollowTheirKernel) {
  Trace trace = training_trace();
  Communication exchange;
  exchange.iteration = 1;
  exchange.kernel = 7;  // the third of iteration 1
  Communication elsewhere = exchange;
  elsewhere.iteration = 0;
  trace.communications = {elsewhere, exchange};
  const Trace kept = keep_iterations(trace, 1, 1);
  ASSERT_EQ(kept.communications.size(), 1U);
  EXPECT_EQ(kept.communications[0].kernel, 2U);
  EXPECT_EQ(kept.communications[0].iteration, 0);
}

TEST(KeepIterations, TimesCountFromTheEarliestOneKeptAndKeepTheirPlaceInTheEpoch) {
  Trace trace = training_trace();
  trace.base_time = Nanoseconds{1'600'000'000'000'000'000};
  // Launched before the iteration's mark begins.
  trace.kernels[5].launch = Launch{Nanoseconds{9'400}, Nanoseconds{10}, 1};
  const Trace kept = keep_iterations(trace, 1, 1);
  EXPECT_EQ(kept.base_time, Nanoseconds{1'600'000'000'000'009'400});
  EXPECT_EQ(kept.kernels[0].launch->start, Nanoseconds{0});
  EXPECT_EQ(kept.kernels[0].start, Nanoseconds{600});
  EXPECT_EQ(kept.iterations[0].start, Nanoseconds{600});
}

TEST(KeepIterations, NoneIsRepresentativeUntilItIsChosenAmongThem) {
  Trace trace = training_trace();
  trace.iterations[1].representative = true;
  EXPECT_FALSE(keep_iterations(trace, 1, 1).iterations[0].representative);
}

TEST(KeepIterations, RefusesIterationsThatTheTraceDoesNotHave) {
  EXPECT_THROW(keep_iterations(training_trace(), 0, 3), InputError);
  EXPECT_THROW(keep_iterations(training_trace(), -1, 0), InputError);
  EXPECT_THROW(keep_iterations(training_trace(), 2, 1), InputError);
  EXPECT_THROW(keep_iterations(Trace{}, 0, 0), InputError);
}

}  // namespace
}  // namespace gradwire
