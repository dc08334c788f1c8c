#include "traces/importers/event_splitter.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gradwire {
namespace {

constexpr std::size_t kMetadataBytes = 1 << 20;
constexpr std::size_t kSuspiciousBytes =
    64 << 10;  // far above any real event: look whether it swallowed others
constexpr std::size_t kKeyBytes = 4096;

/// The beginning of `text` on one line, for messages.
std::string excerpt(std::string_view text) {
  std::string line;
  for (const char c : text.substr(0, 60)) {
    line.push_back(c >= ' ' && c <= '~' ? c : ' ');
  }
  return line;
}

}  // namespace

EventSplitter::EventSplitter(ByteWindow& window, ImportReport& report)
    : window_(window), report_(report) {}

/// The next byte that is no white space (and, if asked, no comma), which then is the first of the
/// view.
std::optional<char> EventSplitter::peek(bool skip_commas) {
  while (true) {
    const std::string_view view = window_.view();
    std::size_t at = skip_space(view, 0);
    while (skip_commas && at < view.size() && view[at] == ',') at = skip_space(view, at + 1);
    window_.drop(at);
    if (at < view.size()) return window_.view().front();
    if (!window_.more()) return std::nullopt;
  }
}

void EventSplitter::end_early(const std::string& what) {
  report_.count(
      "truncated", Severity::kDataLoss,
      fmt::format("byte {}: the text ends {}", window_.offset() + window_.view().size(), what));
  place_ = Place::kDone;
}

void EventSplitter::lose_event(const std::string& reason) {
  report_.count(
      "event-unreadable", Severity::kDataLoss,
      fmt::format("byte {}: {}, near `{}`", window_.offset(), reason, excerpt(window_.view())));
}

void EventSplitter::start() {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  while (window_.view().size() < kByteOrderMark.size() && window_.more()) {
  }
  if (window_.view().starts_with(kByteOrderMark)) window_.drop(kByteOrderMark.size());
  const auto first = peek(false);
  if (first == '[') {
    bare_array_ = found_events_ = true;
    place_ = Place::kEvents;
    window_.drop(1);
  } else if (first == '{') {
    place_ = Place::kKeys;
    window_.drop(1);
  } else {
    place_ = Place::kDone;
  }
}

std::optional<EventText> EventSplitter::next() {
  window_.drop(current_);
  current_ = 0;
  while (true) {
    switch (place_) {
      case Place::kStart:
        start();
        break;
      case Place::kKeys:
        read_member();
        break;
      case Place::kEvents:
        if (auto event = cut_event()) return event;
        break;
      case Place::kDone:
        return std::nullopt;
    }
  }
}

void EventSplitter::reject(const std::string& reason) {
  lose_event(reason);
  current_ = 0;
  resume_at_boundary(1);
}

/// One step inside the list of events: the next event, or absent when the list ended or something
/// had to be skipped.
std::optional<EventText> EventSplitter::cut_event() {
  const auto first = peek(true);
  if (!first) {
    end_early("before the list of events is closed");
    return std::nullopt;
  }
  if (*first == ']') {
    leave_list();
    return std::nullopt;
  }
  if (*first != '{') {
    lose_event("an event beginning with `{` was expected");
    skip_element();
    return std::nullopt;
  }
  ValueScanner scanner;
  std::size_t scanned = 0;
  while (true) {
    const std::string_view view = window_.view();
    if (const auto length = scanner.feed(view.substr(scanned))) {
      current_ = scanned + *length;
      const std::string_view text = view.substr(0, current_);
      const bool suspect =
          find_event_boundary(text, 1, false).kind == EventBoundary::Kind::kNextEvent;
      return EventText{text, window_.readable(), window_.offset(), suspect};
    }
    scanned = view.size();
    const bool more = window_.more();
    if (scanned < kSuspiciousBytes && more) continue;
    const EventBoundary inner = find_event_boundary(window_.view(), 1, window_.at_end());
    if (inner.kind == EventBoundary::Kind::kNextEvent ||
        (inner.kind == EventBoundary::Kind::kListEnd && !more)) {
      lose_event("an event that does not end before the next one begins");
      resume_at_boundary(1);
      return std::nullopt;
    }
    if (more) continue;
    if (window_.full()) {
      skip_oversized_event(scanner);
    } else {
      end_early("inside an event");
    }
    return std::nullopt;
  }
}

/// At a `]`: the end of the list, unless it is a stray one.
void EventSplitter::leave_list() {
  ListEnd end = find_list_end(window_.view(), 0, window_.at_end());
  while (end == ListEnd::kUndecided) {
    if (!window_.more() && !window_.at_end()) break;
    end = find_list_end(window_.view(), 0, window_.at_end());
  }
  if (end == ListEnd::kNo) {
    lose_event("an event beginning with `{` was expected");
  } else {
    place_ = bare_array_ ? Place::kDone : Place::kKeys;
  }
  window_.drop(1);
}

void EventSplitter::skip_oversized_event(ValueScanner& scanner) {
  report_.count("event-too-long", Severity::kDataLoss,
                fmt::format("byte {}: an event of more than {} bytes", window_.offset(),
                            window_.view().size()));
  while (true) {
    window_.drop(window_.view().size());
    if (!window_.more()) return end_early("inside an event");
    if (const auto length = scanner.feed(window_.view())) return window_.drop(*length);
  }
}

/// Passes over an element of the list that is no object; of a stray `[` over that alone.
void EventSplitter::skip_element() {
  if (window_.view().front() == '[') return window_.drop(1);
  if (const auto length = measure_value(); length && *length > 0) {
    const std::string_view rest = window_.view().substr(*length);
    const std::size_t after = skip_space(rest, 0);
    if (after < rest.size() && (rest[after] == ',' || rest[after] == ']')) {
      return window_.drop(*length);
    }
  }
  resume_at_boundary(0);
}

/// Goes to the next event, or the end of the list, whose boundary stands at or after `from`.
void EventSplitter::resume_at_boundary(std::size_t from) {
  using Kind = EventBoundary::Kind;
  while (true) {
    const std::string_view view = window_.view();
    const EventBoundary boundary = find_event_boundary(view, from, window_.at_end());
    if (boundary.kind == Kind::kNextEvent || boundary.kind == Kind::kListEnd) {
      window_.drop(boundary.next);
      return;
    }
    window_.drop(boundary.kind == Kind::kUndecided ? boundary.close : view.size());
    from = 0;
    if (!window_.more() && window_.at_end() && boundary.kind == Kind::kNone) {
      return end_early("inside an unreadable event");
    }
    if (window_.full()) window_.drop(1);
  }
}

/// One `"key": value` of the top-level object.
void EventSplitter::read_member() {
  const auto first = peek(true);
  if (!first) {
    end_early("before the top-level object is closed");
    return;
  }
  if (*first == '}') {
    window_.drop(1);
    if (!peek(false)) place_ = Place::kDone;
    return;
  }
  std::string key;
  if (!read_key(key)) {
    report_.count("metadata-unreadable", Severity::kNote,
                  fmt::format("byte {}: a key was expected, near `{}`", window_.offset(),
                              excerpt(window_.view())));
    return resume_metadata();
  }
  if (key == "traceEvents" && peek(false) == '[') {
    window_.drop(1);
    found_events_ = true;
    place_ = Place::kEvents;
    return;
  }
  read_value(key);
}

/// Reads `"key" :`; false, with the view unchanged, when something else stands there.
bool EventSplitter::read_key(std::string& key) {
  while (window_.view().size() < kKeyBytes && window_.more()) {
  }
  const std::string_view view = window_.view();
  if (view.front() != '"') return false;
  const std::size_t quote = view.substr(0, kKeyBytes).find('"', 1);
  if (quote == std::string_view::npos) return false;
  const std::size_t colon = skip_space(view, quote + 1);
  if (colon == view.size() || view[colon] != ':') return false;
  key = std::string(view.substr(1, quote - 1));
  window_.drop(colon + 1);
  return true;
}

std::optional<std::size_t> EventSplitter::measure_scalar() {
  while (true) {
    const std::string_view view = window_.view();
    const std::size_t end = view.find_first_of(",}] \n\r\t");
    if (end != std::string_view::npos) return end;
    if (view.size() > kMetadataBytes || !window_.more()) return std::nullopt;
  }
}

/// Length of the value at the start of the view; absent when it is longer than what is kept, or the
/// text ends.
std::optional<std::size_t> EventSplitter::measure_value() {
  const char first = window_.view().front();
  if (first != '"' && first != '{' && first != '[') return measure_scalar();
  ValueScanner scanner;
  std::size_t scanned = 0;
  while (true) {
    const std::string_view view = window_.view();
    if (const auto length = scanner.feed(view.substr(scanned))) return scanned + *length;
    scanned = view.size();
    if (scanned > kMetadataBytes || !window_.more()) return std::nullopt;
  }
}

void EventSplitter::read_value(const std::string& key) {
  if (!peek(false)) return end_early("inside the top-level object");
  const std::uint64_t offset = window_.offset();
  if (const auto length = measure_value()) {
    std::string value(window_.view().substr(0, *length));
    while (window_.view().size() < *length + kKeyBytes && window_.more()) {
    }
    const std::string_view rest = window_.view().substr(*length);
    const std::size_t after = skip_space(rest, 0);
    if (after == rest.size() || rest[after] == ',' || rest[after] == '}') {
      window_.drop(*length);
      metadata_.push_back({key, std::move(value), offset});
      return;
    }
  }
  report_.count("metadata-unreadable", Severity::kNote,
                fmt::format("byte {}: the value of \"{}\" is not JSON or longer than {} bytes",
                            offset, key, kMetadataBytes));
  resume_metadata();
}

/// Goes to the next `, "key" :` of the top-level object. Before the events only "traceEvents" is
/// looked for, so that a key of some nested object is not taken for one.
void EventSplitter::resume_metadata() {
  constexpr std::string_view kEvents = "\"traceEvents\"";
  while (true) {
    const std::string_view view = window_.view();
    if (!found_events_) {
      const std::size_t found = view.find(kEvents);
      if (found != std::string_view::npos) return window_.drop(found);
      window_.drop(view.size() - std::min(view.size(), kEvents.size() - 1));
    } else {
      for (std::size_t at = view.find(','); at != std::string_view::npos;
           at = view.find(',', at + 1)) {
        const std::size_t quote = skip_space(view, at + 1);
        if (quote >= view.size() || view[quote] != '"') continue;
        const std::size_t closing = view.find('"', quote + 1);
        if (closing == std::string_view::npos) break;
        const std::size_t colon = skip_space(view, closing + 1);
        if (colon < view.size() && view[colon] == ':') return window_.drop(quote);
      }
      window_.drop(view.size() - std::min<std::size_t>(view.size(), kKeyBytes));
    }
    if (!window_.more()) {
      place_ = Place::kDone;
      const std::size_t last = window_.view().find_last_not_of(" \n\r\t");
      if (last == std::string_view::npos || window_.view()[last] != '}') {
        end_early("inside the top-level object");
      }
      return;
    }
  }
}

}  // namespace gradwire
