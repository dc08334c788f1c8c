#include "traces/importers/kineto/collective_names.hpp"

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

CollectiveKind collective_of_kernel(std::string_view name) {
  return kind_of_letters(letters_of(name.substr(0, name.find('('))));
}

}  // namespace gradwire
