#include "simulator/validation/recorded_traces.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/support/temporary_folder.hpp"
#include "tests/support/training_trace.hpp"
#include "traces/model/trace_codec.hpp"

namespace gradwire {
namespace {

/// Appends an all-reduce of `elements` floats to `iteration`, `start` ns after its backward pass
/// began.
void add_all_reduce(Trace& trace, std::int32_t iteration, std::int64_t elements, std::int64_t start,
                    std::int64_t duration) {
  Kernel kernel;
  kernel.category = KernelCategory::kCommunication;
  kernel.start = trace.backwards[static_cast<std::size_t>(iteration)].start + Nanoseconds{start};
  kernel.duration = Nanoseconds{duration};
  kernel.stream = StreamId{99};
  kernel.iteration = iteration;
  Communication communication;
  communication.collective = CollectiveKind::kAllReduce;
  communication.in_elements = Elements{elements};
  communication.dtype = DType::kFloat32;
  communication.kernel = trace.kernels.size();
  communication.iteration = iteration;
  trace.kernels.push_back(kernel);
  trace.communications.push_back(communication);
}

/// Kernels by their start, as a trace has them.
Trace in_order(Trace trace) {
  std::vector<std::size_t> order(trace.kernels.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return trace.kernels[a].start < trace.kernels[b].start;
  });
  std::vector<Kernel> kernels;
  for (const std::size_t kernel : order) kernels.push_back(trace.kernels[kernel]);
  for (Communication& item : trace.communications) {
    const auto place = std::find(order.begin(), order.end(), *item.kernel);
    item.kernel = static_cast<std::uint64_t>(place - order.begin());
  }
  trace.kernels = std::move(kernels);
  return trace;
}

/// The gradients of an iteration: 40 floats ready at 1000 ns, 216 at 2500, 8 at the end of the
/// pass (4000, 4200, 4100 ns). With caps of 1 B each is a bucket.
class Recorded : public testing::Test {
 protected:
  SetOutcome play(Trace trace) {
    ValidationSet set;
    set.recorded = {{"r", folder_ / "r.gwt", {}, {Bytes{1}, Bytes{1}}, "a test"}};
    write_trace(in_order(std::move(trace)), set.recorded[0].trace);
    return play_set(set);
  }

  test::TemporaryFolder folder_;
};

TEST_F(Recorded, AnAllReduceBeginsWhenItsBucketIsFullAndTheOneBeforeHasEnded) {
  Trace trace = test::training_trace();
  for (std::int32_t iteration = 0; iteration < 3; ++iteration) {
    add_all_reduce(trace, iteration, 40, 1040, 3000);  // 40 ns late
    add_all_reduce(trace, iteration, 216, 4040, 100);  // waits for the first
    add_all_reduce(trace, iteration, 8, 4300, 100);
  }
  const SetOutcome outcome = play(trace);
  ASSERT_EQ(outcome.cases.size(), 9U);
  EXPECT_EQ(outcome.failures(), 0U);
  EXPECT_NEAR(outcome.cases[0].answers[0].raw, -40.0 / 4000, 1e-9);
  EXPECT_NEAR(outcome.cases[1].answers[0].time.count(), 4040e-9, 1e-15);
  EXPECT_NEAR(outcome.cases[1].answers[0].raw, 0.0, 1e-9);
  // Of iteration 1: ready at 4200.
  EXPECT_NEAR(outcome.cases[5].answers[0].raw, -100.0 / 4200, 1e-9);
}

TEST_F(Recorded, AnIterationWithOtherBucketsOrAnotherOrderFails) {
  Trace trace = test::training_trace();
  add_all_reduce(trace, 0, 216, 1040, 100);
  add_all_reduce(trace, 0, 40, 2600, 100);
  add_all_reduce(trace, 0, 8, 4300, 100);
  const SetOutcome outcome = play(trace);
  ASSERT_EQ(outcome.failures(), 3U);
  EXPECT_NE(
      outcome.cases[0].failure.find("216, 40, 8 elements found; DDP's buckets are 40, 216, 8"),
      std::string::npos)
      << outcome.cases[0].failure;
}

TEST_F(Recorded, AMissingFileIsOneFailedCase) {
  ValidationSet set;
  set.recorded = {{"gone", folder_ / "gone.gwt", {}, {}, "a test"}};
  const SetOutcome outcome = play_set(set);
  EXPECT_EQ(outcome.failures(), 1U);
  EXPECT_EQ(outcome.cases[0].name, "gone");
}

}  // namespace
}  // namespace gradwire
