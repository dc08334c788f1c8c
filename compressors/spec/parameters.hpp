#pragma once

#include <map>
#include <string>
#include <string_view>

namespace gradwire {

/// The parameters of a scheme as text, "rank=4,min_compression_rate=2", read one by one. What a
/// scheme does not read is unknown.
class SchemeParameters {
 public:
  /// Throws InputError naming `text` when it is no list of name=value, or names one twice.
  explicit SchemeParameters(std::string_view text);

  /// A whole number within [low, high]; `standard` when it is not given. Throws InputError.
  int integer(const std::string& name, int standard, int low, int high);

  /// More than `above` and at most `high`; `standard` when it is not given. Throws InputError.
  double number(const std::string& name, double standard, double above, double high);

  /// "true" or "false". Throws InputError.
  bool truth(const std::string& name, bool standard);

  /// Throws InputError naming the first parameter that nobody read and the known ones.
  void refuse_unread(std::string_view scheme) const;

 private:
  const std::string* take(const std::string& name);

  std::map<std::string, std::string> given_;
  std::map<std::string, bool> known_;  // by name: whether it was given
};

}  // namespace gradwire
