#include "traces/model/trace_checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sample_trace.hpp"

namespace gradwire {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The defects of the sample trace after `change`.
template <class Change>
std::vector<std::string> defects_after(Change change) {
  Trace trace = test::sample_trace();
  change(trace);
  return find_trace_defects(trace);
}

TEST(TraceChecks, TheSampleTraceAndTheEmptyOneAreValid) {
  EXPECT_THAT(find_trace_defects(test::sample_trace()), IsEmpty());
  EXPECT_THAT(find_trace_defects(Trace{}), IsEmpty());
}

TEST(TraceChecks, ANegativeDurationIsNamedWithKernelAndValue) {
  EXPECT_THAT(defects_after([](Trace& t) { t.kernels[2].duration = Nanoseconds{-5}; }),
              ElementsAre(AllOf(HasSubstr("kernel 2"), HasSubstr("-5 ns"))));
}

TEST(TraceChecks, ANegativeLaunchDurationIsNamed) {
  EXPECT_THAT(defects_after([](Trace& t) { t.kernels[0].launch->duration = Nanoseconds{-7}; }),
              ElementsAre(AllOf(HasSubstr("kernel 0"), HasSubstr("-7 ns"))));
}

TEST(TraceChecks, ANameOutOfRangeIsNamed) {
  EXPECT_THAT(defects_after([](Trace& t) { t.kernels[1].name = 4; }),
              ElementsAre(AllOf(HasSubstr("kernel 1"), HasSubstr("4 of 4 names"))));
}

TEST(TraceChecks, KernelsOutOfOrderAreNamed) {
  EXPECT_THAT(defects_after([](Trace& t) { std::swap(t.kernels[0], t.kernels[1]); }),
              ElementsAre(HasSubstr("kernel 1 starts before")));
}

TEST(TraceChecks, KernelsThatStartTogetherAreInOrder) {
  EXPECT_THAT(defects_after([](Trace& t) { t.kernels[1].start = t.kernels[0].start; }), IsEmpty());
}

TEST(TraceChecks, AnIterationOutOfRangeIsNamedWhereverItIs) {
  EXPECT_THAT(defects_after([](Trace& t) { t.kernels[0].iteration = 2; }),
              ElementsAre(AllOf(HasSubstr("kernel 0"), HasSubstr("iteration 2 of 2"))));
  EXPECT_THAT(defects_after([](Trace& t) { t.communications[0].iteration = -1; }),
              ElementsAre(AllOf(HasSubstr("communication 0"), HasSubstr("iteration -1"))));
  EXPECT_THAT(defects_after([](Trace& t) { t.gradients[1].iteration = 9; }),
              ElementsAre(AllOf(HasSubstr("gradient 1"), HasSubstr("iteration 9"))));
  EXPECT_THAT(defects_after([](Trace& t) { t.backwards[1].iteration = 2; }),
              ElementsAre(AllOf(HasSubstr("backward mark 1"), HasSubstr("iteration 2"))));
}

TEST(TraceChecks, ACommunicationOfAMissingKernelIsNamed) {
  EXPECT_THAT(defects_after([](Trace& t) { t.communications[0].kernel = 5; }),
              ElementsAre(AllOf(HasSubstr("communication 0"), HasSubstr("kernel 5 of 5"))));
}

TEST(TraceChecks, AnEmptyGroupAndNegativeElementsAreNamed) {
  EXPECT_THAT(defects_after([](Trace& t) { t.communications[0].group_size = 0; }),
              ElementsAre(HasSubstr("group of 0 ranks")));
  EXPECT_THAT(defects_after([](Trace& t) { t.communications[0].in_elements = Elements{-1}; }),
              ElementsAre(HasSubstr("negative element count")));
  EXPECT_THAT(defects_after([](Trace& t) { t.gradients[1].elements = Elements{-1}; }),
              ElementsAre(AllOf(HasSubstr("gradient 1"), HasSubstr("-1 elements"))));
}

TEST(TraceChecks, ElementsThatDisagreeWithTheShapeAreNamed) {
  EXPECT_THAT(defects_after([](Trace& t) { t.gradients[0].elements = Elements{41}; }),
              ElementsAre(AllOf(HasSubstr("gradient 0"), HasSubstr("41"), HasSubstr("40"))));
}

TEST(TraceChecks, AShapeThatIsNegativeOrOverflowsIsNamed) {
  EXPECT_THAT(defects_after([](Trace& t) {
                t.gradients[0].shape = {-10, -4};
              }),
              ElementsAre(HasSubstr("impossible shape")));
  EXPECT_THAT(defects_after([](Trace& t) {
                t.gradients[0].shape = {std::int64_t{1} << 40, std::int64_t{1} << 40};
              }),
              ElementsAre(HasSubstr("impossible shape")));
}

TEST(TraceChecks, EachGradientWithAnImpossibleShapeIsNamed) {
  EXPECT_THAT(defects_after([](Trace& t) {
                t.gradients[0].shape = {-1};
                t.gradients[2].shape = {-1};
              }),
              ElementsAre(HasSubstr("gradient 0"), HasSubstr("gradient 2")));
}

TEST(TraceChecks, MarksThatEndBeforeTheyStartAreNamed) {
  EXPECT_THAT(defects_after([](Trace& t) { t.iterations[1].end = Nanoseconds{0}; }),
              ElementsAre(HasSubstr("iteration 1 ends before it starts")));
  EXPECT_THAT(defects_after([](Trace& t) { t.backwards[0].end = Nanoseconds{0}; }),
              ElementsAre(HasSubstr("backward mark 0 ends before it starts")));
}

}  // namespace
}  // namespace gradwire
