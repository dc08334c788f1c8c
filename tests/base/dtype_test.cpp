#include "base/dtype.hpp"

#include <gtest/gtest.h>

namespace gradwire {
namespace {

constexpr DType kAll[] = {DType::kFloat64, DType::kFloat32, DType::kFloat16, DType::kBfloat16,
                          DType::kInt64,   DType::kInt32,   DType::kInt16,   DType::kInt8,
                          DType::kUint8,   DType::kBool};

TEST(DTypeNames, EachTypeIsReadBackFromItsOwnName) {
  for (const DType dtype : kAll) EXPECT_EQ(dtype_from_name(name_of(dtype)), dtype);
}

TEST(DTypeNames, NamesOfTypesCarryTheirWidthInBits) {
  EXPECT_EQ(name_of(DType::kFloat32), "float32");
  EXPECT_EQ(name_of(DType::kBfloat16), "bfloat16");
  EXPECT_EQ(name_of(DType::kUnknown), "unknown");
}

// Spellings met in PyTorch profiler files: operator inputs ("float", "long int", "c10::Half") and
// NCCL arguments
// ("Float", "BFloat16").
TEST(DTypeNames, ProfilerSpellingsAreRead) {
  EXPECT_EQ(dtype_from_name("float"), DType::kFloat32);
  EXPECT_EQ(dtype_from_name("Float"), DType::kFloat32);
  EXPECT_EQ(dtype_from_name("double"), DType::kFloat64);
  EXPECT_EQ(dtype_from_name("c10::Half"), DType::kFloat16);
  EXPECT_EQ(dtype_from_name("Half"), DType::kFloat16);
  EXPECT_EQ(dtype_from_name("c10::BFloat16"), DType::kBfloat16);
  EXPECT_EQ(dtype_from_name("BFloat16"), DType::kBfloat16);
  EXPECT_EQ(dtype_from_name("long int"), DType::kInt64);
  EXPECT_EQ(dtype_from_name("Long"), DType::kInt64);
  EXPECT_EQ(dtype_from_name("Int"), DType::kInt32);
  EXPECT_EQ(dtype_from_name("unsigned char"), DType::kUint8);
  EXPECT_EQ(dtype_from_name("Byte"), DType::kUint8);
  EXPECT_EQ(dtype_from_name("bool"), DType::kBool);
}

TEST(DTypeNames, WhatIsNoTypeIsUnknown) {
  for (const char* name : {"", "Scalar", "TensorList", "float3", "c10::", "unknown"}) {
    EXPECT_EQ(dtype_from_name(name), DType::kUnknown) << name;
  }
}

TEST(ElementSize, IsTheWidthInBytes) {
  EXPECT_EQ(element_size(DType::kFloat64), Bytes{8});
  EXPECT_EQ(element_size(DType::kInt64), Bytes{8});
  EXPECT_EQ(element_size(DType::kFloat32), Bytes{4});
  EXPECT_EQ(element_size(DType::kInt32), Bytes{4});
  EXPECT_EQ(element_size(DType::kFloat16), Bytes{2});
  EXPECT_EQ(element_size(DType::kBfloat16), Bytes{2});
  EXPECT_EQ(element_size(DType::kInt16), Bytes{2});
  EXPECT_EQ(element_size(DType::kInt8), Bytes{1});
  EXPECT_EQ(element_size(DType::kUint8), Bytes{1});
  EXPECT_EQ(element_size(DType::kBool), Bytes{1});
}

TEST(ElementSize, OfAnUnknownTypeIsAbsent) {
  EXPECT_FALSE(element_size(DType::kUnknown).has_value());
}

}  // namespace
}  // namespace gradwire
