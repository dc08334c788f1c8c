#include "simulator/workload/iteration_jitter.hpp"

#include <gtest/gtest.h>

#include "simulator/workload/gradient_schedule.hpp"
#include "tests/support/training_trace.hpp"

namespace gradwire {
namespace {

using test::training_trace;

std::vector<IterationFactor> factors_of(const Trace& trace, const WorkloadOptions& options = {}) {
  return make_workload(trace, "t.gwt", options).iteration_factors;
}

void expect_factors(const std::vector<IterationFactor>& found,
                    const std::vector<IterationFactor>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].iteration, expected[i].iteration);
    EXPECT_DOUBLE_EQ(found[i].factor, expected[i].factor);
  }
}

TEST(IterationJitter, IsEachIterationsSpanOverTheReplayedOnes) {
  // Spans 4000, 4200, 4100; the last is replayed.
  expect_factors(factors_of(training_trace()),
                 {{0, 4000.0 / 4100.0}, {1, 4200.0 / 4100.0}, {2, 1.0}});
}

TEST(IterationJitter, IsAgainstTheIterationThatWasAskedFor) {
  WorkloadOptions options;
  options.iteration = 0;
  expect_factors(factors_of(training_trace(), options),
                 {{0, 1.0}, {1, 4200.0 / 4000.0}, {2, 4100.0 / 4000.0}});
}

TEST(IterationJitter, OfACompactedReplayIsBusyTimeOverBusyTime) {
  // Gaps of 1000 to 1200 and 2500 to 2700: busy 3600, 3800, 3700.
  WorkloadOptions options;
  options.replay = Replay::kCompacted;
  expect_factors(factors_of(training_trace(), options),
                 {{0, 3600.0 / 3700.0}, {1, 3800.0 / 3700.0}, {2, 1.0}});
}

TEST(IterationJitter, LeavesOutWhatIsIncompleteOrTakesNoTime) {
  Trace trace = training_trace();
  trace.iterations[0].complete = false;
  trace.backwards[1].end = trace.backwards[1].start;
  WorkloadOptions options;
  options.iteration = 2;
  expect_factors(factors_of(trace, options), {{2, 1.0}});
}

}  // namespace
}  // namespace gradwire
