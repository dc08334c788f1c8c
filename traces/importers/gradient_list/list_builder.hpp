#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"
#include "traces/importers/gradient_list/gradient_row.hpp"
#include "traces/model/trace.hpp"

namespace gradwire {

/// A gradient list as a trace, put together fact by fact and gradient by gradient: the rules that
/// hold whatever the file looks like. Every fault is an InputError naming `place`, what was found
/// and what is accepted.
class GradientListBuilder {
 public:
  /// `source` names the file; `remark` joins the refusal of an unknown key, empty for none.
  GradientListBuilder(std::string source, std::string remark);

  /// What is known of the whole list: `device`, `batch`, `backward_us`, `source`, `licence`,
  /// `standing`, `basis`, each once.
  void add_fact(std::string_view key, std::string_view value, const std::string& place);

  /// The next gradient, not ready before the one before it, its name not used yet.
  void add_gradient(const std::vector<std::string_view>& fields, const GradientColumns& columns,
                    const std::string& place);

  const std::vector<Gradient>& gradients() const { return trace_.gradients; }

  /// The trace, once: one inferred iteration with a backward pass from 0 to `backward_us`, or else
  /// to the last ready time, and no kernels. `accepted` tells what a list holds where this one is
  /// empty.
  Trace take(std::string_view accepted);

 private:
  std::string source_;
  std::string remark_;
  Trace trace_;
  std::optional<Nanoseconds> backward_;
  std::string backward_place_;
  std::set<std::string> keys_;
  std::set<std::string> names_;
};

}  // namespace gradwire
