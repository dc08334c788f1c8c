#include "base/number_text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace gradwire {
namespace {

TEST(NumberText, IsANumberOnlyWhenAllOfItIs) {
  EXPECT_EQ(number_from<int>("-12"), -12);
  EXPECT_EQ(number_from<double>("0.25"), 0.25);
  EXPECT_EQ(number_from<double>("1e3"), 1000.0);
  for (const char* text : {"", " 1", "1 ", "+1", "1x", "x", "-", "1,5"}) {
    EXPECT_EQ(number_from<int>(text), std::nullopt) << text;
    EXPECT_EQ(number_from<double>(text), std::nullopt) << text;
  }
  EXPECT_EQ(number_from<int>("1.5"), std::nullopt);
}

TEST(NumberText, IsNoneWhenItDoesNotFit) {
  EXPECT_EQ(number_from<int>("2147483647"), 2147483647);
  EXPECT_EQ(number_from<int>("2147483648"), std::nullopt);
  EXPECT_EQ(number_from<std::uint64_t>("-1"), std::nullopt);
  EXPECT_EQ(number_from<double>("1e999"), std::nullopt);
  EXPECT_TRUE(std::isnan(number_from<double>("nan").value()));
}

}  // namespace
}  // namespace gradwire
