#include "base/dtype.hpp"

#include <array>
#include <cctype>
#include <string>

namespace gradwire {
namespace {

struct Spelling {
  std::string_view name;
  DType dtype;
};

// The first spelling of a type is its own name. Profiler spellings: trace-format survey of
// PyTorch 1.8 to 2.6 files.
constexpr std::array kSpellings = {
    Spelling{"float64", DType::kFloat64},     Spelling{"double", DType::kFloat64},
    Spelling{"float32", DType::kFloat32},     Spelling{"float", DType::kFloat32},
    Spelling{"float16", DType::kFloat16},     Spelling{"half", DType::kFloat16},
    Spelling{"bfloat16", DType::kBfloat16},   Spelling{"int64", DType::kInt64},
    Spelling{"long", DType::kInt64},          Spelling{"long int", DType::kInt64},
    Spelling{"int32", DType::kInt32},         Spelling{"int", DType::kInt32},
    Spelling{"int16", DType::kInt16},         Spelling{"short", DType::kInt16},
    Spelling{"short int", DType::kInt16},     Spelling{"int8", DType::kInt8},
    Spelling{"char", DType::kInt8},           Spelling{"signed char", DType::kInt8},
    Spelling{"uint8", DType::kUint8},         Spelling{"byte", DType::kUint8},
    Spelling{"unsigned char", DType::kUint8}, Spelling{"bool", DType::kBool},
};

}  // namespace

std::optional<Bytes> element_size(DType dtype) {
  switch (dtype) {
    case DType::kFloat64:
    case DType::kInt64:
      return Bytes{8};
    case DType::kFloat32:
    case DType::kInt32:
      return Bytes{4};
    case DType::kFloat16:
    case DType::kBfloat16:
    case DType::kInt16:
      return Bytes{2};
    case DType::kInt8:
    case DType::kUint8:
    case DType::kBool:
      return Bytes{1};
    case DType::kUnknown:
      break;
  }
  return std::nullopt;
}

std::string_view name_of(DType dtype) {
  for (const Spelling& spelling : kSpellings) {
    if (spelling.dtype == dtype) return spelling.name;
  }
  return "unknown";
}

DType dtype_from_name(std::string_view name) {
  constexpr std::string_view kPrefix = "c10::";
  if (name.starts_with(kPrefix)) name.remove_prefix(kPrefix.size());
  std::string lower;
  for (const char c : name) {
    lower.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  }
  for (const Spelling& spelling : kSpellings) {
    if (spelling.name == lower) return spelling.dtype;
  }
  return DType::kUnknown;
}

}  // namespace gradwire
