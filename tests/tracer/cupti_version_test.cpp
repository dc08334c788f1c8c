#include "tracer/cupti/cupti_version.hpp"

#include <gtest/gtest.h>

namespace gradwire {
namespace {

TEST(CuptiVersion, TheLoadedLibraryIsOfTheMajorVersionThatWasCompiledFor) {
  EXPECT_GE(compiled_cupti_version(), 130000U);  // nvcc 13: CUPTI_API_VERSION 130000
  EXPECT_EQ(loaded_cupti_version() / 10000, compiled_cupti_version() / 10000);
}

}  // namespace
}  // namespace gradwire
