#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace gradwire {

/// Finds where one JSON string, array or object ends, honouring strings and escapes, without
/// looking at what is inside. Fed piece by piece, so that a value may be longer than any buffer.
class ValueScanner {
 public:
  /// Takes the next piece of text. The number of its bytes that belong to the value when the value
  /// ends in it, absent when it goes on. The first piece begins with the value's first byte.
  std::optional<std::size_t> feed(std::string_view text);

 private:
  std::size_t skip_string(std::string_view text, std::size_t from);

  int depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
};

/// The first place at or after a given one where, whatever the text before it was, an event ends
/// and the next one begins (`} , { "`), or the list of events ends (`} ]` and then `,`, `}` or the
/// end).
struct EventBoundary {
  enum class Kind {
    kNone,
    kUndecided,  ///< the text ends before it can be told; `close` says where to look again
    kNextEvent,
    kListEnd,
  };
  Kind kind = Kind::kNone;
  std::size_t close = 0;  ///< the `}`
  std::size_t next = 0;   ///< the `{` of the next event, or the `]`
};

/// Whether the `]` at `bracket` closes the list of events: what follows is `, "`, or `}` and the
/// end, or the end. A stray bracket does not.
enum class ListEnd { kNo, kUndecided, kYes };
ListEnd find_list_end(std::string_view text, std::size_t bracket, bool at_end);

/// Finds the first boundary of `text` at or after `from`; `at_end` tells that nothing follows
/// `text`.
EventBoundary find_event_boundary(std::string_view text, std::size_t from, bool at_end);

/// Position of the first byte at or after `from` that is no JSON white space; the size of `text`
/// when there is none.
std::size_t skip_space(std::string_view text, std::size_t from);

}  // namespace gradwire
