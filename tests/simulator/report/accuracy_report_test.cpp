#include "simulator/report/accuracy_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace gradwire {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Two iterations of two ranks, 12 elements.
RecordedGradients two_iterations() {
  RecordedGradients gradients;
  gradients.names = {"weight", "bias"};
  gradients.shapes = {{{5, 2}}, {{2}}};
  gradients.ranks = 2;
  gradients.iterations = 2;
  return gradients;
}

SchemeAccuracy topk() {
  SchemeAccuracy accuracy;
  accuracy.scheme = "topk:fraction=0.1,index_bytes=4";
  accuracy.payload = Bytes{48};
  accuracy.wire = Bytes{8};
  accuracy.error_memory = true;
  accuracy.exchanges = {{0.25, 0.5}, {0.75, 0.25}};
  accuracy.sum = {0.125, 0.96875};
  accuracy.measured_iterations = 2;
  return accuracy;
}

SchemeAccuracy vote() {
  SchemeAccuracy accuracy;
  accuracy.scheme = "signsgd";
  accuracy.payload = Bytes{48};
  accuracy.wire = Bytes{4};
  accuracy.gives_average = false;
  accuracy.exchanges = {{{}, 0.5}, {}};
  accuracy.measured_iterations = 1;
  accuracy.broken_results = 1;
  return accuracy;
}

std::string text_of(const RecordedGradients& gradients, const AccuracyOutcome& outcome) {
  std::ostringstream out;
  write_accuracy_text(gradients, outcome, out);
  return out.str();
}

TEST(AccuracyText, HasALineASchemeWithADashWhereNothingIsDefined) {
  const std::string text = text_of(two_iterations(), {7, {}, {topk(), vote()}});
  EXPECT_THAT(text, HasSubstr("2 iterations of 2 ranks: 12 elements in 2 tensors, 48 B a rank as "
                              "float32; seed 7.\n\n"
                              "scheme                           wire ratio  error  worst error  "
                              "cosine  worst cosine  error of sum  cosine of sum\n"
                              "topk:fraction=0.1,index_bytes=4           6    0.5         0.75  "
                              "0.3750        0.2500         0.125         0.9688\n"
                              "signsgd                                  12      -            -  "
                              "0.5000        0.5000             -              -\n"));
}

TEST(AccuracyText, SaysOfEachSchemeWhatLimitsItsFigures) {
  const std::string text = text_of(two_iterations(), {7, {}, {topk(), vote()}});
  EXPECT_THAT(text, HasSubstr("signsgd: the result is no average"));
  EXPECT_THAT(text, HasSubstr("signsgd: 1 of 2 results from finite gradients held NaN"));
  EXPECT_THAT(text, HasSubstr("counts as an error of its iteration: topk.\n"));
  const std::string without = text_of(two_iterations(), {7, {}, {}});
  EXPECT_THAT(without, Not(HasSubstr("no average")));
  EXPECT_THAT(without, Not(HasSubstr("With error memory")));
}

TEST(AccuracyText, SaysWhatItDidNotMeasure) {
  const std::string text = text_of(two_iterations(), {7, {}, {topk()}});
  EXPECT_THAT(text, HasSubstr("errors of single exchanges of these gradients"));
  EXPECT_THAT(text, HasSubstr("Convergence was\nnot measured"));
  EXPECT_THAT(text, HasSubstr("A step saved is not yet an\nhour saved."));
}

TEST(AccuracyText, NamesIterationsThatAreInNoFigure) {
  RecordedGradients gradients = two_iterations();
  gradients.stored_as_float16 = true;
  const std::string text =
      text_of(gradients, {7, {{{1, 0, 3, "bias"}, {1, 1, 1, "weight"}}, {0}}, {topk()}});
  EXPECT_THAT(text, HasSubstr("Iteration 1: 3 elements of rank 0 NaN or infinite, the first in "
                              "bias; exchanged, but in no figure"));
  EXPECT_THAT(text, HasSubstr("Iteration 1: 1 element of rank 1 NaN"));
  EXPECT_THAT(text, HasSubstr("Iteration 0: the average is zero"));
  EXPECT_THAT(text, HasSubstr("The files hold float16"));
}

TEST(AccuracyText, NamesTheFirstTenOfMany) {
  AccuracyOutcome outcome{7, {}, {topk()}};
  for (int iteration = 0; iteration < 25; ++iteration) {
    outcome.check.zero_averages.push_back(iteration);
  }
  const std::string text = text_of(two_iterations(), outcome);
  EXPECT_THAT(text, HasSubstr("Iteration 9: the average is zero"));
  EXPECT_THAT(text, Not(HasSubstr("Iteration 10:")));
  EXPECT_THAT(text, HasSubstr("... and 15 more such lines.\n"));
}

TEST(AccuracyCsv, HasALineASchemeWithEmptyCellsWhereNothingIsDefined) {
  std::ostringstream out;
  write_accuracy_csv(two_iterations(), {7, {}, {topk(), vote()}}, out);
  EXPECT_EQ(out.str(),
            "scheme,ranks,iterations,seed,payload_bytes,wire_bytes,wire_ratio,gives_average,"
            "error_memory,measured_iterations,broken_results,relative_error_median_ratio,"
            "relative_error_worst_ratio,cosine_median_ratio,cosine_worst_ratio,"
            "sum_relative_error_ratio,sum_cosine_ratio\n"
            "\"topk:fraction=0.1,index_bytes=4\",2,2,7,48,8,6,true,true,2,0,0.5,0.75,0.375,0.25,"
            "0.125,0.96875\n"
            "signsgd,2,2,7,48,4,12,false,false,1,1,,,0.5,0.5,,\n");
}

}  // namespace
}  // namespace gradwire
