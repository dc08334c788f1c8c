#include "base/errors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/thrown.hpp"

namespace gradwire {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Check, ThatFailsNamesFileConditionAndMessage) {
  const int ranks = 0;
  const std::string text =
      test::thrown_by<BugError>([&] { GW_CHECK(ranks > 0, "a job needs ranks"); });
  EXPECT_THAT(text, AllOf(HasSubstr("errors_test.cpp:"), HasSubstr("ranks > 0"),
                          HasSubstr("a job needs ranks")));
}

TEST(Check, ThatHoldsDoesNothing) { EXPECT_NO_THROW(GW_CHECK(1 + 1 == 2, "never seen")); }

TEST(BugError, IsNotCaughtAsAnErrorOfTheUser) {
  EXPECT_THROW(
      {
        try {
          GW_CHECK(false, "ours");
        } catch (const InputError&) {
          FAIL() << "a bug passed for wrong input";
        }
      },
      BugError);
}

}  // namespace
}  // namespace gradwire
