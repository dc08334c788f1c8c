#include "simulator/study/validation.hpp"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"
#include "tests/support/thrown.hpp"

namespace gradwire {
namespace {

ValidationCase measured(double low, double median, double high) {
  ValidationCase item;
  item.low = Seconds{low};
  item.measured = Seconds{median};
  item.high = Seconds{high};
  return item;
}

TEST(Validation, InsideTheRangeOfTheSamplesIsNoError) {
  const ValidationCase item = measured(0.9, 1.0, 1.2);
  EXPECT_EQ(scored_error(Seconds{0.9}, item), 0.0);
  EXPECT_EQ(scored_error(Seconds{1.2}, item), 0.0);
  EXPECT_NEAR(scored_error(Seconds{1.3}, item), 0.3, 1e-12);
  EXPECT_NEAR(scored_error(Seconds{0.8}, item), 0.2, 1e-12);
}

TEST(Validation, SummarisesErrorsInAnyOrder) {
  const ErrorSummary ten = summary_of({0.9, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0});
  EXPECT_EQ(ten.median, 0.5);  // the lower of two
  EXPECT_EQ(ten.p90, 0.9);     // nine of ten do not pass it
  EXPECT_EQ(ten.worst, 1.0);
  const ErrorSummary one = summary_of({0.2});
  EXPECT_EQ(one.median, 0.2);
  EXPECT_EQ(one.p90, 0.2);
}

/// Ten seconds of backward with one gradient of 12.5 MB at the end; 100 Mbps, all of it payload.
class ValidationFolder {
 public:
  ValidationFolder() {
    folder.write("list.csv",
                 "# backward_us: 10000000\nshape,dtype,ready_us\n3125000,float32,10000000\n");
  }
  ValidationSet read(const std::string& item, const std::string& head =
                                                  "source: 's' aim_median_percent: 1 "
                                                  "aim_p90_percent: 2 latency: '0us' "
                                                  "latency_source: 's' ") const {
    return read_validation_set(folder.write("set.txtpb", head + item));
  }
  test::TemporaryFolder folder;
};

const std::string kCase =
    "case { name: 'c' trace: 'list.csv' workers: 2 bandwidth: '100Mbps' measured_s: 12 low_s: 11.9 "
    "high_s: 12.1 }";

TEST(Validation, PlaysACaseByEveryEstimatorAndTheBaseline) {
  // Two ranks send 12.5 MB each at 12.5 MB/s behind the backward pass: 11 s. The baseline at half
  // that rate takes 12: the efficiency that fits best.
  const ValidationFolder folder;
  const ValidationSet set = folder.read(kCase);
  const ValidationResult result = validate(set);
  ASSERT_EQ(result.cases.size(), 1U);
  EXPECT_NEAR(result.cases[0].simgrid.count(), 11.0, 1e-3);
  EXPECT_NEAR(result.cases[0].recurrence.count(), 11.0, 1e-6);
  EXPECT_NEAR(result.cases[0].formula.count(), 11.0, 1e-6);
  EXPECT_NEAR(result.ours.median, 1.0 / 12, 1e-4);
  EXPECT_EQ(result.baseline_efficiency, 0.5);
  EXPECT_EQ(result.baseline.worst, 0.0);
  EXPECT_FALSE(result.meets_aim());
}

TEST(Validation, PayloadIsAShareOfTheLinksRate) {
  const ValidationFolder folder;
  const ValidationSet set = folder.read(
      kCase,
      "source: 's' aim_median_percent: 1 aim_p90_percent: 2 latency: '0us' latency_source: 's' "
      "payload_share: 0.5 payload_share_source: 's' ");
  const ValidationResult result = validate(set);
  EXPECT_NEAR(result.cases[0].simgrid.count(), 12.0, 1e-3);
  EXPECT_TRUE(result.meets_aim());
}

TEST(Validation, EachFaultNamesCaseAndField) {
  const ValidationFolder folder;
  const auto said = [&](const std::string& item) {
    return test::input_error_of([&] { folder.read(item); });
  };
  EXPECT_NE(said("").find("case: none found"), std::string::npos);
  EXPECT_NE(said("case { name: 'c' trace: 'list.csv' workers: 2 bandwidth: '1Gbps' measured_s: 3 "
                 "low_s: 1 high_s: 2 }")
                .find("case \"c\": measured_s: 3 between 1 and 2 found"),
            std::string::npos);
  EXPECT_NE(said("case { name: 'c' workers: 2 measured_s: 1 low_s: 1 high_s: 1 }")
                .find("case \"c\": trace: none found"),
            std::string::npos);
  EXPECT_NE(said("case { name: 'c' trace: 'list.csv' workers: 2 bandwidth: '1Gbps' compressor: "
                 "'signsgd' measured_s: 1 low_s: 1 high_s: 1 }")
                .find("none or a cast"),
            std::string::npos);
  EXPECT_NE(test::input_error_of([&] { folder.read(kCase, ""); }).find("source: none found"),
            std::string::npos);
}

}  // namespace
}  // namespace gradwire
