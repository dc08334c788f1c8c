#include "simulator/questions/root_search.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace gradwire {
namespace {

TEST(RootSearch, ACrossingIsFoundToThePrecisionAskedFor) {
  const SignSearch found =
      find_sign_changes([](double x) { return x - 3.0; }, {1.0, 100.0, 9, 1e-9});
  ASSERT_EQ(found.changes.size(), 1U);
  EXPECT_NEAR(found.changes[0].at, 3.0, 3e-9);
  EXPECT_TRUE(found.changes[0].rising);
  EXPECT_DOUBLE_EQ(found.value_low, -2.0);
  EXPECT_DOUBLE_EQ(found.value_high, 97.0);
}

TEST(RootSearch, SeveralCrossingsComeInOrderWithTheirDirections) {
  // Above zero between 2 and 5 alone.
  const SignSearch found =
      find_sign_changes([](double x) { return (x - 2.0) * (5.0 - x); }, {1.0, 10.0, 65, 1e-9});
  ASSERT_EQ(found.changes.size(), 2U);
  EXPECT_NEAR(found.changes[0].at, 2.0, 1e-8);
  EXPECT_TRUE(found.changes[0].rising);
  EXPECT_NEAR(found.changes[1].at, 5.0, 1e-8);
  EXPECT_FALSE(found.changes[1].rising);
}

TEST(RootSearch, AJumpIsFoundLikeACrossing) {
  const SignSearch found =
      find_sign_changes([](double x) { return x < 7.0 ? -1.0 : 1.0; }, {1.0, 64.0, 3, 1e-9});
  ASSERT_EQ(found.changes.size(), 1U);
  EXPECT_NEAR(found.changes[0].at, 7.0, 1e-7);
}

TEST(RootSearch, WithoutACrossingTheEndsTellTheSign) {
  const SignSearch found = find_sign_changes([](double x) { return -x; }, {0.5, 2.0, 5, 1e-6});
  EXPECT_TRUE(found.changes.empty());
  EXPECT_DOUBLE_EQ(found.value_low, -0.5);
  EXPECT_DOUBLE_EQ(found.value_high, -2.0);
}

}  // namespace
}  // namespace gradwire
