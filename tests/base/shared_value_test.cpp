#include "base/shared_value.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gradwire {
namespace {

TEST(SharedValue, IsSharedByCopiesUntilOneIsEdited) {
  SharedValue<std::string> first(std::string("bucket"));
  SharedValue<std::string> second = first;
  EXPECT_EQ(&*first, &*second);
  second.edit() += "s";
  EXPECT_EQ(*first, "bucket");
  EXPECT_EQ(*second, "buckets");
}

TEST(SharedValue, IsEditedInPlaceWhenNobodyElseHoldsIt) {
  SharedValue<std::string> value(std::string("bucket"));
  const std::string* const before = &*value;
  value.edit() += "s";
  EXPECT_EQ(&*value, before);
  EXPECT_EQ(value->size(), 7U);
}

}  // namespace
}  // namespace gradwire
