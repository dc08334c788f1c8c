#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulator/workload/gradient_schedule.hpp"
#include "tests/support/thrown.hpp"
#include "tests/support/training_trace.hpp"

namespace gradwire {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// The refusal of the training trace after `change`. Each is one line that begins with the trace's
/// name.
template <class Change>
std::string refusal_after(Change change, const WorkloadOptions& options = {}) {
  Trace trace = test::training_trace();
  change(trace);
  const std::string text =
      test::input_error_of([&] { make_workload(trace, "runs/a.json", options); });
  EXPECT_THAT(text, StartsWith("runs/a.json: "));
  EXPECT_EQ(text.find('\n'), std::string::npos);
  return text;
}

template <class Change>
std::string refusal_after_each_gradient(Change change) {
  return refusal_after([&change](Trace& trace) {
    for (Gradient& gradient : trace.gradients) change(gradient);
  });
}

TEST(WorkloadRefusals, ATraceWithoutIterations) {
  EXPECT_THAT(refusal_after([](Trace& trace) { trace = Trace{}; }),
              HasSubstr("holds no iterations"));
}

TEST(WorkloadRefusals, ATraceWithoutABackwardPass) {
  EXPECT_THAT(refusal_after([](Trace& trace) { trace.backwards.clear(); }),
              AllOf(HasSubstr("3 iterations"), HasSubstr("backward pass")));
  EXPECT_THAT(refusal_after([](Trace& trace) {
                trace.backwards.clear();
                trace.iterations[1].representative = true;
              }),
              AllOf(HasSubstr("iteration 1 has no backward pass"), HasSubstr("CUDA activity"),
                    HasSubstr("--pytorch")));
}

TEST(WorkloadRefusals, ATraceWithoutACompleteIteration) {
  EXPECT_THAT(refusal_after([](Trace& trace) {
                for (IterationMark& mark : trace.iterations) mark.complete = false;
              }),
              HasSubstr("none of its 3 iterations is complete"));
}

TEST(WorkloadRefusals, ABackwardPassWithoutWorkOnTheDevice) {
  EXPECT_THAT(refusal_after([](Trace& trace) {
                for (Kernel& kernel : trace.kernels) kernel.in_backward = false;
              }),
              AllOf(HasSubstr("no kernel of iteration 2"), HasSubstr("CUDA activity")));
}

TEST(WorkloadRefusals, CompactedReplayOfAListWithoutKernels) {
  EXPECT_THAT(refusal_after([](Trace& trace) { trace.kernels.clear(); }, {Replay::kCompacted, {}}),
              AllOf(HasSubstr("no kernels"), HasSubstr("--replay recorded is accepted")));
}

TEST(WorkloadRefusals, AListWithoutKernelsWhoseBackwardPassTakesNoTime) {
  EXPECT_THAT(refusal_after([](Trace& trace) {
                trace.kernels.clear();
                trace.backwards[2].end = trace.backwards[2].start;
                trace.iterations[2].representative = true;
              }),
              AllOf(HasSubstr("iteration 2 takes no time"), HasSubstr("above 0")));
}

TEST(WorkloadRefusals, AnIterationWithTwoBackwardPasses) {
  EXPECT_THAT(refusal_after([](Trace& trace) { trace.backwards.push_back(trace.backwards[2]); }),
              AllOf(HasSubstr("iteration 2 has 2 backward passes"), HasSubstr("accumulation")));
}

TEST(WorkloadRefusals, ATraceWithoutGradients) {
  EXPECT_THAT(refusal_after([](Trace& trace) { trace.gradients.clear(); }),
              HasSubstr("no gradients (parameters) were found"));
}

TEST(WorkloadRefusals, GradientsWithoutSizesAndTheWayOut) {
  EXPECT_THAT(refusal_after_each_gradient([](Gradient& gradient) {
                gradient.elements.reset();
                gradient.shape.clear();
              }),
              AllOf(HasSubstr("3 of 3 gradients have no size"),
                    HasSubstr("`import --parameters names-shapes.csv`")));
  EXPECT_THAT(refusal_after([](Trace& trace) {
                trace.gradients[7].elements.reset();
                trace.gradients[7].shape.clear();
              }),
              HasSubstr("1 of 3 gradients have no size"));
}

TEST(WorkloadRefusals, GradientsOfUnknownElementType) {
  EXPECT_THAT(refusal_after_each_gradient([](Gradient& g) { g.dtype = DType::kUnknown; }),
              AllOf(HasSubstr("3 of 3 gradients have an unknown element type"),
                    HasSubstr("bfloat16"), HasSubstr("names-shapes.csv")));
}

TEST(WorkloadRefusals, GradientsOfNoElementsAtAll) {
  EXPECT_THAT(refusal_after_each_gradient([](Gradient& gradient) {
                gradient.shape = {0};
                gradient.elements = Elements{0};
              }),
              HasSubstr("0 elements in total"));
}

TEST(WorkloadRefusals, MoreElementsThanAByteCountHolds) {
  EXPECT_THAT(refusal_after_each_gradient([](Gradient& gradient) {
                gradient.shape.clear();
                gradient.elements = Elements{4'000'000'000'000'000'000};
              }),
              HasSubstr("more than 1000000000000000 elements"));
}

TEST(WorkloadRefusals, GradientsOnSeveralDevices) {
  EXPECT_THAT(refusal_after([](Trace& trace) { trace.gradients[8].device = 3; }),
              AllOf(HasSubstr("devices 0 and 3"), HasSubstr("one device a process")));
}

TEST(WorkloadRefusals, AnIterationThatIsNotThere) {
  for (const std::int32_t index : {-1, 3}) {
    EXPECT_THAT(refusal_after([](Trace&) {}, {Replay::kRecorded, index}),
                AllOf(HasSubstr("iteration " + std::to_string(index) + " was asked for"),
                      HasSubstr("0 to 2 are there")));
  }
}

TEST(WorkloadRefusals, EveryWayOfTrainingThatIsNotPlainDdpWithItsEvidence) {
  EXPECT_THAT(refusal_after([](Trace& trace) {
                trace.parallelism = {{"fsdp", "12 reduce-scatters of parameters"},
                                     {"compiled-ddp", "a CompiledFunctionBackward node"}};
              }),
              AllOf(HasSubstr("fsdp (12 reduce-scatters of parameters)"),
                    HasSubstr("compiled-ddp (a CompiledFunctionBackward node)"),
                    HasSubstr("only plain DDP is modelled")));
}

}  // namespace
}  // namespace gradwire
