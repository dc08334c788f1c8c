#include "traces/importers/profile/collective_names.hpp"

#include <array>
#include <cctype>
#include <string>

namespace gradwire {
namespace {

/// Lower case, letters only: "_allgather_base" and "all_gather_base" become one.
std::string letters_of(std::string_view name) {
  std::string letters;
  for (const char c : name) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      letters.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
    }
  }
  return letters;
}

struct Spelling {
  std::string_view part;
  CollectiveKind kind;
};

// The first part that a name contains decides: reducescatter and allreduce stand before reduce.
constexpr std::array kSpellings = {
    Spelling{"allreduce", CollectiveKind::kAllReduce},
    Spelling{"allgather", CollectiveKind::kAllGather},
    Spelling{"reducescatter", CollectiveKind::kReduceScatter},
    Spelling{"alltoall", CollectiveKind::kAllToAll},
    Spelling{"broadcast", CollectiveKind::kBroadcast},
    Spelling{"sendrecv", CollectiveKind::kSendReceive},
    Spelling{"send", CollectiveKind::kSendReceive},
    Spelling{"recv", CollectiveKind::kSendReceive},
    Spelling{"reduce", CollectiveKind::kReduce},
};

struct KernelType {
  std::string_view word;
  DType dtype;
};

// As NCCL's generator writes them (src/device/generate.py of 2.18 and later; type names before).
constexpr std::array kKernelTypes = {
    KernelType{"_bf16", DType::kBfloat16},  KernelType{"_f16", DType::kFloat16},
    KernelType{"_f32", DType::kFloat32},    KernelType{"_f64", DType::kFloat64},
    KernelType{"_half", DType::kFloat16},   KernelType{"_float", DType::kFloat32},
    KernelType{"_double", DType::kFloat64}, KernelType{"_bfloat16", DType::kBfloat16},
    KernelType{"_i8", DType::kInt8},        KernelType{"_u8", DType::kUint8},
    KernelType{"_i32", DType::kInt32},      KernelType{"_i64", DType::kInt64},
};

CollectiveKind kind_of_letters(const std::string& letters) {
  for (const Spelling& spelling : kSpellings) {
    if (letters.find(spelling.part) != std::string::npos) return spelling.kind;
  }
  return CollectiveKind::kOpaque;
}

}  // namespace

bool is_communication_kernel(std::string_view name) {
  if (name.size() < 4) return false;
  const std::string start = letters_of(name.substr(0, 4));
  return start == "nccl" || start == "rccl";
}

std::optional<CollectiveKind> collective_of_operation(std::string_view name) {
  const std::string letters = letters_of(name);
  for (const std::string_view silent :
       {"wait", "init", "barrier", "", "startcoalescing", "endcoalescing"}) {
    if (letters == silent) return std::nullopt;
  }
  return kind_of_letters(letters);
}

DType dtype_of_kernel(std::string_view name) {
  name = name.substr(0, name.find('('));
  for (const auto& [word, dtype] : kKernelTypes) {
    for (std::size_t at = name.find(word); at != std::string_view::npos;
         at = name.find(word, at + 1)) {
      const std::size_t end = at + word.size();
      if (end == name.size() || name[end] == '_') return dtype;
    }
  }
  return DType::kUnknown;
}

CollectiveKind collective_of_kernel(std::string_view name) {
  return kind_of_letters(letters_of(name.substr(0, name.find('('))));
}

}  // namespace gradwire
