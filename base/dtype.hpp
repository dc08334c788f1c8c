#pragma once

#include <optional>
#include <string_view>

#include "base/units.hpp"

namespace gradwire {

/// Element type of a tensor or a message.
enum class DType {
  kUnknown,
  kFloat64,
  kFloat32,
  kFloat16,
  kBfloat16,
  kInt64,
  kInt32,
  kInt16,
  kInt8,
  kUint8,
  kBool,
};

/// Bytes an element takes; absent for kUnknown.
std::optional<Bytes> element_size(DType dtype);

/// "float32", "bfloat16"; "unknown".
std::string_view name_of(DType dtype);

/// Reads our own names and those of PyTorch's profiler ("Float", "c10::BFloat16", "Half", "Long
/// int", ...), case ignored; kUnknown for anything else.
DType dtype_from_name(std::string_view name);

}  // namespace gradwire
