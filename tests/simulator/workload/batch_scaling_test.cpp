#include "simulator/workload/batch_scaling.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/thrown.hpp"

namespace gradwire {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr Seconds kMillisecond{1e-3};

/// 10 ms at a batch of 32, 8 ms of it busy; gradients after 2, 5 and 10 ms; 15 ms outside.
Workload recorded() {
  Workload workload;
  for (const double ready : {2.0, 5.0, 10.0}) {
    ReadyGradient gradient;
    gradient.elements = Elements{100};
    gradient.ready = ready * kMillisecond;
    workload.gradients.push_back(gradient);
  }
  workload.backward_span = 10.0 * kMillisecond;
  workload.backward_busy = 8.0 * kMillisecond;
  workload.outside_backward = 15.0 * kMillisecond;
  workload.batch = 32;
  workload.compute_standing = "measured";
  workload.compute_basis = "the backward pass of 10 ms is measured";
  workload.compute_band = ComputeBand{0.9, 1.1, "elsewhere"};
  return workload;
}

std::vector<double> ready_ms(const Workload& workload) {
  std::vector<double> times;
  for (const ReadyGradient& gradient : workload.gradients) {
    times.push_back(gradient.ready / kMillisecond);
  }
  return times;
}

auto near(double value) { return testing::DoubleNear(value, 1e-9); }

TEST(BatchScaling, MultipliesEveryTimeOfTheBackwardPassByTheRatioOfTheBatches) {
  const Workload scaled = scale_to_batch(recorded(), {32, 64});
  EXPECT_THAT(ready_ms(scaled), ElementsAre(near(4.0), near(10.0), near(20.0)));
  EXPECT_THAT(scaled.backward_span / kMillisecond, near(20.0));
  EXPECT_THAT(scaled.backward_busy.value() / kMillisecond, near(16.0));
  EXPECT_EQ(scaled.batch, 64);
  EXPECT_EQ(scaled.total_elements(), Elements{300});  // sizes do not follow the batch
}

// 0.2 + 0.8 * 16 / 32 = 0.6
TEST(BatchScaling, LeavesTheFixedShareAlone) {
  const Workload scaled = scale_to_batch(recorded(), {32, 16, 0.2});
  EXPECT_THAT(ready_ms(scaled), ElementsAre(near(1.2), near(3.0), near(6.0)));
  EXPECT_THAT(scaled.backward_span / kMillisecond, near(6.0));
  EXPECT_THAT(scaled.compute_basis, HasSubstr("20 % of which does not depend on the batch"));
}

TEST(BatchScaling, ByAFixedShareOfOneChangesNoTime) {
  EXPECT_EQ(ready_ms(scale_to_batch(recorded(), {32, 8, 1.0})), ready_ms(recorded()));
}

TEST(BatchScaling, ToTheRecordedBatchKeepsTimesStandingAndTheRestOfTheIteration) {
  const Workload same = scale_to_batch(recorded(), {32, 32, 0.3});
  EXPECT_EQ(ready_ms(same), ready_ms(recorded()));
  EXPECT_EQ(same.outside_backward, recorded().outside_backward);
  EXPECT_EQ(same.compute_standing, "measured");
  EXPECT_EQ(same.compute_basis, recorded().compute_basis);
  EXPECT_EQ(same.compute_band, recorded().compute_band);
  EXPECT_THAT(same.warnings, IsEmpty());
}

TEST(BatchScaling, BackAndForthGivesTheTimesAgain) {
  const Workload there = scale_to_batch(recorded(), {32, 48});
  EXPECT_THAT(ready_ms(scale_to_batch(there, {48, 32})),
              ElementsAre(near(2.0), near(5.0), near(10.0)));
}

TEST(BatchScaling, ForgetsWhatLiesOutsideTheBackwardPassAndTheBand) {
  const Workload scaled = scale_to_batch(recorded(), {32, 64});
  EXPECT_FALSE(scaled.outside_backward);
  EXPECT_FALSE(scaled.compute_band);
}

TEST(BatchScaling, SaysWhatWasScaledFromWhat) {
  const Workload larger = scale_to_batch(recorded(), {32, 64});
  EXPECT_EQ(larger.compute_standing, "derived");
  EXPECT_EQ(larger.compute_basis,
            "the backward pass of 20 ms at a batch of 64 is derived: scaled by 2 from 10 ms at a "
            "batch of 32; the backward pass of 10 ms is measured");
  EXPECT_THAT(larger.warnings, ElementsAre(AllOf(HasSubstr("from a batch of 32 to 64"),
                                                 HasSubstr("more likely too long"))));
  EXPECT_THAT(scale_to_batch(recorded(), {32, 16}).warnings,
              ElementsAre(HasSubstr("more likely too short")));
}

TEST(BatchScaling, OfABackwardPassWithoutKernelsLeavesItsBusyTimeUnknown) {
  Workload list = recorded();
  list.backward_busy.reset();
  EXPECT_FALSE(scale_to_batch(list, {32, 64}).backward_busy);
}

TEST(BatchScaling, RefusesBatchesBelowOneAndSharesOutsideTheirRange) {
  const auto fault = [](const BatchChange& change) {
    return test::input_error_of([&] { scale_to_batch(recorded(), change); });
  };
  EXPECT_THAT(fault({0, 4}), HasSubstr("batch: 0 to 4 found"));
  EXPECT_THAT(fault({4, -1}), HasSubstr("batch: 4 to -1 found"));
  EXPECT_THAT(fault({4, 8, 1.5}), HasSubstr("fixed_share: 1.5 found"));
  EXPECT_THAT(fault({4, 8, std::numeric_limits<double>::quiet_NaN()}), HasSubstr("0 to 1"));
}

TEST(BackwardTime, KeepsRelativeReadyTimes) {
  const Workload set = with_backward_time(recorded(), 25.0 * kMillisecond, "a paper, recalled");
  EXPECT_THAT(ready_ms(set), ElementsAre(near(5.0), near(12.5), near(25.0)));
  EXPECT_EQ(set.backward_span, 25.0 * kMillisecond);
  EXPECT_THAT(set.backward_busy.value() / kMillisecond, near(20.0));
  EXPECT_EQ(set.batch, 32);
  EXPECT_FALSE(set.outside_backward);
  EXPECT_FALSE(set.compute_band);
}

TEST(BackwardTime, SaysWhereItComesFromAndWhatItReplaces) {
  const Workload set = with_backward_time(recorded(), 25.0 * kMillisecond, "a paper, recalled");
  EXPECT_EQ(set.compute_standing, "derived");
  EXPECT_EQ(set.compute_basis,
            "the backward pass of 25 ms is derived: its length is set (a paper, recalled), the "
            "ready times keep their places in it; the backward pass of 10 ms is measured");
  EXPECT_THAT(set.warnings, ElementsAre("the backward pass was set to 25 ms (a paper, recalled); "
                                        "the trace's own takes 10 ms"));
  EXPECT_THAT(with_backward_time(recorded(), kMillisecond, "").warnings,
              ElementsAre(HasSubstr("(as given)")));
}

TEST(BackwardTime, IsAboveZeroAndFinite) {
  const double infinite = std::numeric_limits<double>::infinity();
  for (const double seconds : {0.0, -1.0, infinite}) {
    EXPECT_THAT(test::input_error_of([&] { with_backward_time(recorded(), Seconds{seconds}, ""); }),
                HasSubstr("a time above 0 is accepted"));
  }
}

}  // namespace
}  // namespace gradwire
