#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gradwire {

enum class Severity {
  kNote,      ///< an oddity that loses nothing
  kWarning,   ///< something the user should know before trusting the result
  kDataLoss,  ///< records were dropped; refused by --strict
};

/// One kind of defect and how often it occurred.
struct Defect {
  std::string kind;  ///< stable identifier, "kernel-without-launch"
  Severity severity = Severity::kNote;
  std::uint64_t count = 0;
  std::string example;  ///< where the first one is and what was found
};

/// What one import took in, gave out, and how it found things.
struct ImportReport {
  std::string format;  ///< "kineto 1.9-style", ...
  std::uint64_t events = 0;
  std::uint64_t kernels_in = 0;   ///< device records seen
  std::uint64_t kernels_out = 0;  ///< device records kept
  std::uint64_t kernels_linked = 0;
  std::map<std::string, std::uint64_t> linked_by;        ///< launch call name -> kernels
  std::map<std::string, std::uint64_t> collectives_in;   ///< collective name -> communications seen
  std::map<std::string, std::uint64_t> collectives_out;  ///< collective name -> communications kept
  std::string iterations_found_by;                       ///< "profiler step marks", ...
  std::string backward_found_by;
  std::string gradients_found_by;
  std::vector<Defect> defects;  ///< in order of first occurrence

  /// Counts one more defect of `kind`; the first `example` of a kind is kept.
  void count(const std::string& kind, Severity severity, const std::string& example,
             std::uint64_t times = 1);

  bool lost_data() const;
};

/// "note", "warning", "data loss".
std::string_view name_of(Severity severity);

}  // namespace gradwire
