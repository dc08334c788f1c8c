#include "simulator/workload/iteration_choice.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "base/errors.hpp"
#include "tests/support/training_trace.hpp"

namespace gradwire {
namespace {

using test::training_trace;

// training_trace(): numbers 0 to 2 with backward spans of 4000, 4200 and 4100 ns.

std::vector<std::int64_t> numbers(const Trace& trace) {
  std::vector<std::int64_t> result;
  for (const IterationMark& mark : trace.iterations) result.push_back(mark.number);
  return result;
}

TEST(KeepChosenIterations, TheRepresentativeOneIsThatOfAllBeforeTheChoice) {
  const Trace kept = keep_chosen_iterations(training_trace(), "representative");
  EXPECT_EQ(numbers(kept), std::vector<std::int64_t>{2});
  EXPECT_TRUE(kept.iterations[0].representative);
}

TEST(KeepChosenIterations, OfARangeTheMedianOneOfThoseKeptIsMarked) {
  const Trace kept = keep_chosen_iterations(training_trace(), "0..1");
  EXPECT_EQ(numbers(kept), (std::vector<std::int64_t>{0, 1}));
  EXPECT_TRUE(kept.iterations[0].representative);  // the lower of two, 4000 ns
  EXPECT_FALSE(kept.iterations[1].representative);
}

TEST(KeepChosenIterations, ANumberIsThatOfInspectAndNotAPlace) {
  Trace trace = training_trace();
  for (IterationMark& mark : trace.iterations) mark.number += 16;
  EXPECT_EQ(numbers(keep_chosen_iterations(trace, "17")), std::vector<std::int64_t>{17});
  EXPECT_THROW(keep_chosen_iterations(trace, "1"), InputError);
}

TEST(KeepChosenIterations, SaysInTheProvenanceWhatWasLeftOut) {
  EXPECT_EQ(keep_chosen_iterations(training_trace(), "1").provenance.left_out.back(),
            "all iterations but number 1");
  EXPECT_EQ(keep_chosen_iterations(training_trace(), "1..2").provenance.left_out.back(),
            "all iterations but numbers 1 to 2");
}

TEST(KeepChosenIterations, RefusesWhatIsNoChoiceOrNotThere) {
  for (const char* choice : {"", "median", "1..", "..1", "2..1", "1...2", "3", "-1", "1..3"}) {
    EXPECT_THROW(keep_chosen_iterations(training_trace(), choice), InputError) << choice;
  }
  EXPECT_THROW(keep_chosen_iterations(Trace{}, "representative"), InputError);
}

}  // namespace
}  // namespace gradwire
