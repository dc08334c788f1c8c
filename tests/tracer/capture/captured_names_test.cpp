#include "tracer/capture/captured_names.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <string>

namespace gradwire {
namespace {

TEST(CapturedNames, EqualContentAtTwoPlacesIsOneName) {
  CapturedNames names;
  ASSERT_TRUE(names.open());
  const std::string first = "kernel";
  const std::string second = "kernel";
  EXPECT_TRUE(names.number_of(first.c_str()).is_new);
  EXPECT_FALSE(names.number_of(second.c_str()).is_new);
  EXPECT_EQ(names.number_of(second.c_str()).index, 0U);
  EXPECT_EQ(names.number_of("other").index, 1U);
}

TEST(CapturedNames, NewContentUnderAnOldPointerIsAnotherName) {
  CapturedNames names;
  ASSERT_TRUE(names.open());
  char memory[32] = "forward";
  EXPECT_EQ(names.number_of(memory).index, 0U);
  for (const char* const content : {"backward", "forwar", "forwards", ""}) {
    std::strcpy(memory, content);
    const CapturedNames::Entry entry = names.number_of(memory);
    EXPECT_TRUE(entry.is_new) << content;
    EXPECT_EQ(entry.name, content);
  }
  std::strcpy(memory, "forward");
  EXPECT_EQ(names.number_of(memory).index, 0U);
}

TEST(CapturedNames, NoNameIsTheEmptyName) {
  CapturedNames names;
  ASSERT_TRUE(names.open());
  EXPECT_EQ(names.number_of(nullptr).name, "");
  EXPECT_EQ(names.number_of("").index, names.number_of(nullptr).index);
}

TEST(CapturedNames, ALongNameIsCutAndStillFoundByItsPointer) {
  CapturedNames names;
  ASSERT_TRUE(names.open());
  const std::string name(CapturedNames::kMaxNameSize + 5, 'x');
  EXPECT_EQ(names.number_of(name.c_str()).name.size(), CapturedNames::kMaxNameSize);
  EXPECT_FALSE(names.number_of(name.c_str()).is_new);
}

TEST(CapturedNames, BeyondTheBoundAllAreOneName) {
  CapturedNames names;
  ASSERT_TRUE(names.open());
  std::uint32_t last = 0;
  for (std::size_t i = 0; i + 1 < CapturedNames::kMaxNames; ++i) {
    last = names.number_of(std::to_string(i).c_str()).index;
  }
  EXPECT_EQ(last, CapturedNames::kMaxNames - 2);
  const CapturedNames::Entry beyond = names.number_of("one more");
  EXPECT_EQ(beyond.name, CapturedNames::kNoRoom);
  EXPECT_TRUE(beyond.is_new);
  EXPECT_EQ(names.number_of("another").index, beyond.index);
  EXPECT_EQ(names.number_of("17").index, 17U);
}

}  // namespace
}  // namespace gradwire
