#include "traces/importers/iteration_inference.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/traces/importers/kineto_text.hpp"

namespace gradwire {
namespace {

/// A trace of compute kernels, one a letter: capital letters are of the backward pass, and a space
/// is 50 us of idle device. Each kernel takes 10 us and starts 1 us after the one before; it is
/// launched 5 us before it starts.
Trace trace_of(const std::string& letters) {
  Trace trace;
  for (char c = 'a'; c <= 'z'; ++c) trace.names.push_back(std::string(1, c));
  Nanoseconds time{5000};
  for (const char c : letters) {
    if (c == ' ') {
      time += Nanoseconds{50000};
      continue;
    }
    Kernel kernel;
    kernel.name = static_cast<std::uint32_t>(std::tolower(c) - 'a');
    kernel.in_backward = std::isupper(c) != 0;
    kernel.start = time;
    kernel.duration = Nanoseconds{10000};
    kernel.launch = Launch{time - Nanoseconds{5000}, Nanoseconds{1000}, 1};
    trace.kernels.push_back(kernel);
    time += Nanoseconds{11000};
  }
  return trace;
}

std::string repeat(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

std::int64_t complete_of(const InferredIterations& found) {
  return std::count_if(found.marks.begin(), found.marks.end(),
                       [](const IterationMark& mark) { return mark.complete; });
}

TEST(InferIterations, FindsWholeIterationsAndFlagsThem) {
  const auto found = infer_iterations(trace_of(repeat("abcDEFg ", 5)));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kernels_per_iteration, 7);
  EXPECT_EQ(found->marks.size(), 5u);
  EXPECT_EQ(complete_of(*found), 5);
  EXPECT_FALSE(found->single);
  for (const IterationMark& mark : found->marks) EXPECT_TRUE(mark.inferred);
}

TEST(InferIterations, CutsAtTheLargestIdleGap) {
  // 7 kernels of 11 us and a gap of 50 us: an iteration is 127 us, and the first launch is at 0.
  const auto found = infer_iterations(trace_of(repeat("abcDEFg ", 5)));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->marks[0].start, Nanoseconds{0});
  EXPECT_EQ(found->marks[1].start, Nanoseconds{127000});
  EXPECT_EQ(found->marks[1].end, Nanoseconds{2 * 127000 - 1});
}

TEST(InferIterations, DoesNotCutInsideTheBackwardPassWhereverTheGapIs) {
  const auto found = infer_iterations(trace_of(repeat("abcD EFg", 5)));
  ASSERT_TRUE(found);
  for (const IterationMark& mark : found->marks) {
    // Offset of the cut in the iteration's 127 us: D and E start at 33 and 94.
    const std::int64_t offset = mark.start.count() % 127000;
    EXPECT_FALSE(offset > 33000 && offset <= 105000) << offset;
  }
}

TEST(InferIterations, SetsTheCutIterationsOfBothEndsApart) {
  const auto found = infer_iterations(trace_of("EFg " + repeat("abcDEFg ", 4) + "abcD"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kernels_per_iteration, 7);
  EXPECT_EQ(complete_of(*found), 4);
  EXPECT_EQ(found->marks.size(), 6u);
  EXPECT_FALSE(found->marks.front().complete);
  EXPECT_FALSE(found->marks.back().complete);
}

TEST(InferIterations, IsNotMisledByRepeatedLayers) {
  const std::string iteration = "a" + repeat("bcd", 12) + "e" + repeat("GFH", 12) + "A ";
  const auto found = infer_iterations(trace_of(repeat(iteration, 4)));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kernels_per_iteration, 75);
  EXPECT_EQ(complete_of(*found), 4);
}

TEST(InferIterations, PutsTheWarmUpOfTheFirstIterationIntoIt) {
  const auto found =
      infer_iterations(trace_of("abab" + std::string("xyzabcDXYEFg ") + repeat("abcDEFg ", 4)));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kernels_per_iteration, 7);
  EXPECT_EQ(found->marks.size(), 5u);
}

TEST(InferIterations, GoesByTheDeviceWhereNoLaunchesAreKnown) {
  Trace trace = trace_of(repeat("abcDEFg ", 3));
  for (Kernel& kernel : trace.kernels) kernel.launch.reset();
  const auto found = infer_iterations(trace);
  ASSERT_TRUE(found);
  EXPECT_EQ(complete_of(*found), 3);
  EXPECT_EQ(found->marks[0].start, Nanoseconds{5000});
}

TEST(InferIterations, TakesAFileWithOneBackwardPassAsOneIteration) {
  const auto found = infer_iterations(trace_of("abcdeFGHIJk"));
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->single);
  ASSERT_EQ(found->marks.size(), 1u);
  EXPECT_TRUE(found->marks[0].complete);
}

TEST(InferIterations, FindsNoneInATraceWithoutKernels) { EXPECT_FALSE(infer_iterations(Trace{})); }

TEST(InferIterations, NeedsNoBackwardPass) {
  const auto found = infer_iterations(trace_of(repeat("abcdefg ", 5)));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kernels_per_iteration, 7);
  ASSERT_EQ(found->marks.size(), 5u);
  EXPECT_EQ(complete_of(*found), 5);
  // As in CutsAtTheLargestIdleGap: an iteration is 127 us.
  EXPECT_EQ(found->marks[2].start, Nanoseconds{2 * 127000});
}

TEST(InferIterations, TakesNoLayerForAnIterationWhereNoBackwardPassIsKnown) {
  // Shifted by the layer `bcd`, 2097 of an iteration's 2106 kernels fit (all but `a`, `efgxy` and
  // the three before them that meet those): 99.6 %, as good as the iteration itself to within what
  // odd kernels cost.
  const std::string iteration = "a" + repeat("bcd", 700) + "efgxy ";
  const auto found = infer_iterations(trace_of("zzxz" + repeat(iteration, 4)));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kernels_per_iteration, 2106);
  EXPECT_EQ(complete_of(*found), 4);
}

TEST(InferIterations, SetsTheCutEndsApartWithoutABackwardPassToo) {
  const auto found = infer_iterations(trace_of("efg " + repeat("abcdefg ", 4) + "abcd"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kernels_per_iteration, 7);
  EXPECT_EQ(found->marks.size(), 6u);
  EXPECT_EQ(complete_of(*found), 4);
}

TEST(InferIterations, NeedsMoreThanTwoRepetitionsWhereNoBackwardPassIsKnown) {
  EXPECT_FALSE(infer_iterations(trace_of(repeat("abcdefg ", 2))));
  EXPECT_TRUE(infer_iterations(trace_of(repeat("abcdefg ", 3))));
  EXPECT_FALSE(infer_iterations(trace_of(repeat("a", 30))));
}

TEST(InferIterations, FindsNoneInSeveralBackwardPassesThatDoNotRepeat) {
  EXPECT_FALSE(infer_iterations(trace_of("abCDefGHijKLmn")));
}

TEST(InferIterations, OfAKinetoFileGiveGradientsTheirIteration) {
  std::string text = test::two_iterations().object();
  for (std::size_t at = text.find("ProfilerStep#"); at != std::string::npos;
       at = text.find("ProfilerStep#")) {
    text.replace(at, 13, "SomethingElse");
  }
  const Trace trace = test::import_text(text).trace;
  const Trace marked = test::import_text(test::two_iterations().object()).trace;
  ASSERT_EQ(trace.iterations.size(), 2u);
  EXPECT_TRUE(trace.iterations[0].inferred);
  ASSERT_EQ(trace.gradients.size(), marked.gradients.size());
  for (std::size_t i = 0; i < trace.gradients.size(); ++i) {
    EXPECT_EQ(trace.gradients[i].iteration, marked.gradients[i].iteration);
    EXPECT_EQ(trace.gradients[i].elements, marked.gradients[i].elements);
  }
}

}  // namespace
}  // namespace gradwire
