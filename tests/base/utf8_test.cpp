#include "base/utf8.hpp"

#include <gtest/gtest.h>

namespace gradwire {
namespace {

TEST(Utf8, ValidTextStaysAsItIs) {
  for (const char* text : {"", "conv1.weight", "\u00b5s", "\u4e2d\u6587", "\U0001F600"}) {
    EXPECT_EQ(repair_utf8(text), text);
  }
}

TEST(Utf8, EachBadByteBecomesAQuestionMark) {
  EXPECT_EQ(repair_utf8("a\xff\xfe b"), "a?? b");
  EXPECT_EQ(repair_utf8("\x80"), "?");
  EXPECT_EQ(repair_utf8("caf\xe9"), "caf?");  // Latin-1
}

TEST(Utf8, ASequenceThatIsCutOffIsBad) {
  EXPECT_EQ(repair_utf8("\xe4\xb8"), "??");
  EXPECT_EQ(repair_utf8("\xe4\xb8x"), "??x");
}

// RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
TEST(Utf8, WhatRfc3629ForbidsIsBad) {
  for (const char* text : {"\xc0\xaf", "\xc1\xbf", "\xe0\x80\xaf", "\xf0\x80\x80\xaf",
                           "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80"}) {
    EXPECT_EQ(utf8_length(text, 0), 0U);
  }
}

TEST(Utf8, TheFirstAndLastOfEachLengthAreGood) {
  EXPECT_EQ(utf8_length("\x7f", 0), 1U);
  EXPECT_EQ(utf8_length("\xc2\x80", 0), 2U);
  EXPECT_EQ(utf8_length("\xdf\xbf", 0), 2U);
  EXPECT_EQ(utf8_length("\xe0\xa0\x80", 0), 3U);
  EXPECT_EQ(utf8_length("\xef\xbf\xbf", 0), 3U);
  EXPECT_EQ(utf8_length("\xf0\x90\x80\x80", 0), 4U);
  EXPECT_EQ(utf8_length("\xf4\x8f\xbf\xbf", 0), 4U);
}

}  // namespace
}  // namespace gradwire
