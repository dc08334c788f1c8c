#include "simulator/validation/measured_workload.hpp"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"
#include "tests/support/thrown.hpp"
#include "tests/support/workloads.hpp"

namespace gradwire {
namespace {

constexpr const char* kList =
    "# backward_us: 30000\nelements,dtype,ready_us\n1000,float32,10000\n3000,float32,20000\n";

class LoadedList : public testing::Test {
 protected:
  MeasuredWorkload source(AloneSpread spread, double alone_seconds) {
    return {"w", folder_.write("w.csv", kList), Seconds{alone_seconds}, "a run of one", spread};
  }

  test::TemporaryFolder folder_;
};

TEST_F(LoadedList, SpreadByBytesTheDifferenceGrowsWithTheBytesThatAreReady) {
  // 16 ms more for 16000 B: 4 ms at the first gradient, all 16 at the second and at the end.
  const LoadedWorkload loaded = load_workload(source(AloneSpread::kBytes, 46e-3));
  EXPECT_NEAR(loaded.make, 1e-6, 1e-15);
  EXPECT_NEAR(loaded.as_measured.gradients[0].ready.count(), 14e-3, 1e-12);
  EXPECT_NEAR(loaded.as_measured.gradients[1].ready.count(), 36e-3, 1e-12);
  EXPECT_NEAR(loaded.as_measured.backward_span.count(), 46e-3, 1e-12);
  EXPECT_NEAR(loaded.as_listed.backward_span.count(), 30e-3, 1e-12);
}

TEST_F(LoadedList, ScaledEveryTimeGrowsByOneFactorInBothForms) {
  const LoadedWorkload loaded = load_workload(source(AloneSpread::kScale, 45e-3));
  EXPECT_EQ(loaded.make, 0.0);
  EXPECT_NEAR(loaded.as_listed.gradients[0].ready.count(), 15e-3, 1e-12);
  EXPECT_NEAR(loaded.as_measured.gradients[1].ready.count(), 30e-3, 1e-12);
}

TEST_F(LoadedList, APassThatIsShorterThanItsListIsNoneToSpreadByBytes) {
  const std::string text =
      test::input_error_of([&] { load_workload(source(AloneSpread::kBytes, 20e-3)); });
  EXPECT_NE(text.find("alone: 20"), std::string::npos) << text;
}

TEST(InitialOrder, TheLastRegisteredComesFirstAndKeepsItsReadyTime) {
  Workload workload = test::workload_of({{1, 10}, {2, 20}, {3, 30}}, 3);
  workload.gradients[0].parameter = "c";
  workload.gradients[1].parameter = "a";
  workload.gradients[2].parameter = "b";
  const Workload ordered = in_initial_order(workload, {"a", "b", "c"});
  ASSERT_EQ(ordered.gradients.size(), 3U);
  EXPECT_EQ(ordered.gradients[0].parameter, "c");
  EXPECT_EQ(ordered.gradients[1].parameter, "b");
  EXPECT_EQ(ordered.gradients[1].ready, Seconds{3e-3});
  EXPECT_EQ(ordered.gradients[2].parameter, "a");
}

TEST(InitialOrder, RefusesAParameterThatWasNotRegistered) {
  Workload workload = test::workload_of({{1, 10}}, 3);
  workload.gradients[0].parameter = "c";
  EXPECT_NE(test::input_error_of([&] { in_initial_order(workload, {"a"}); }).find("\"c\""),
            std::string::npos);
}

}  // namespace
}  // namespace gradwire
