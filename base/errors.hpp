#pragma once

#include <stdexcept>
#include <string>

namespace gradwire {

/// A file, option or scenario is wrong (exit status 2). The text is one sentence: where, what was
/// found, what is accepted.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The surroundings refuse: GPU, permission, disk, unwritable output (exit status 3).
class EnvironmentError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Part of the work is missing: failed cells, unfinished collectives (exit status 4).
class IncompleteError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Our bug (exit status 1). Raised by GW_CHECK only.
class BugError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Throws BugError naming the place and the condition.
[[noreturn]] void fail_check(const char* file, int line, const char* condition,
                             const std::string& message);

}  // namespace gradwire

/// On in Release too; never reachable from input.
#define GW_CHECK(condition, message)                                     \
  do {                                                                   \
    if (!(condition)) {                                                  \
      ::gradwire::fail_check(__FILE__, __LINE__, #condition, (message)); \
    }                                                                    \
  } while (false)
