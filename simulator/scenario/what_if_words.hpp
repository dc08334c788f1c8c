#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gradwire {

/// A what-if taken apart: "compute=2,gaps=kept" is the verb "compute", the value "2" and the option
/// gaps. Every reader throws InputError naming the what-if, what was found and what is accepted.
class WhatIfWords {
 public:
  /// `what` stands in front of messages.
  WhatIfWords(std::string_view text, std::string_view what);

  const std::string& verb() const { return verb_; }
  const std::string& value() const { return value_; }
  /// All behind the first "=", for a value that has commas itself; there are no options then.
  const std::string& whole_value();
  /// The what-if with what stands in front of messages.
  const std::string& place() const { return place_; }

  [[noreturn]] void refuse(const std::string& sentence) const;

  /// `text` as a factor above 0.
  double factor(const std::string& text) const;
  /// `text` as a whole number from 1 to `most`.
  int count(const std::string& text, int most) const;
  /// An option, one of `accepted`; the first of them where it is not given.
  std::string option(const std::string& name, const std::vector<std::string>& accepted);
  /// An option as a number from 0 to 1; `standard` where it is not given.
  double share(const std::string& name, double standard);

  /// Throws InputError for an option that nobody read.
  void refuse_unread() const;

 private:
  double number(const std::string& text, const char* accepted) const;

  std::string place_;
  std::string verb_;
  std::string rest_;
  std::string value_;
  std::map<std::string, std::string> options_;
};

}  // namespace gradwire
