#include "simulator/report/progress.hpp"

#include <gtest/gtest.h>

namespace gradwire {
namespace {

TEST(ProgressText, HasCellsDoneRateAndTimeLeft) {
  // 100 in 4 s are 25 a second; 160 are left: 6.4 s, told as 7.
  EXPECT_EQ(progress_text(120, 280, "cells", 100, 4.0), "120 of 280 cells, 25.0/s, 7 s left");
}

TEST(ProgressText, KnowsNoRateBeforeAnythingIsDone) {
  EXPECT_EQ(progress_text(0, 280, "cells", 0, 1.0), "0 of 280 cells");
  EXPECT_EQ(progress_text(3, 280, "cells", 3, 0.0), "3 of 280 cells");
}

}  // namespace
}  // namespace gradwire
