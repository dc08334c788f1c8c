#include "traces/importers/json_scan.hpp"

#include <array>
#include <cstring>

namespace gradwire {
namespace {

enum Structure : unsigned char { kPlain = 0, kQuote, kOpen, kClose };

constexpr std::array<unsigned char, 256> make_structure_table() {
  std::array<unsigned char, 256> table{};
  table['"'] = kQuote;
  table['{'] = table['['] = kOpen;
  table['}'] = table[']'] = kClose;
  return table;
}

constexpr std::array<unsigned char, 256> kStructure = make_structure_table();

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

bool odd_backslashes_before(std::string_view text, std::size_t from, std::size_t end) {
  std::size_t begin = end;
  while (begin > from && text[begin - 1] == '\\') --begin;
  return (end - begin) % 2 == 1;
}

}  // namespace

/// Position after the closing quote; the size of `text` with in_string_ still set when it does not
/// close.
std::size_t ValueScanner::skip_string(std::string_view text, std::size_t from) {
  if (escaped_ && from < text.size()) {
    escaped_ = false;
    ++from;
  }
  while (from < text.size()) {
    const void* found = std::memchr(text.data() + from, '"', text.size() - from);
    if (found == nullptr) break;
    const auto quote = static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
    const bool escaped = odd_backslashes_before(text, from, quote);
    from = quote + 1;
    if (!escaped) {
      in_string_ = false;
      return from;
    }
  }
  escaped_ = odd_backslashes_before(text, from, text.size());
  return text.size();
}

std::optional<std::size_t> ValueScanner::feed(std::string_view text) {
  std::size_t at = 0;
  while (true) {
    if (in_string_) {
      at = skip_string(text, at);
      if (in_string_) return std::nullopt;
      if (depth_ == 0) return at;
    }
    while (at < text.size() && kStructure[static_cast<unsigned char>(text[at])] == kPlain) ++at;
    if (at == text.size()) return std::nullopt;
    switch (kStructure[static_cast<unsigned char>(text[at++])]) {
      case kQuote:
        in_string_ = true;
        break;
      case kOpen:
        ++depth_;
        break;
      default:
        if (--depth_ <= 0) return at;
    }
  }
}

std::size_t skip_space(std::string_view text, std::size_t from) {
  while (from < text.size() && is_space(text[from])) ++from;
  return from;
}

ListEnd find_list_end(std::string_view text, std::size_t bracket, bool at_end) {
  const ListEnd cut = at_end ? ListEnd::kYes : ListEnd::kUndecided;
  const std::size_t after = skip_space(text, bracket + 1);
  if (after == text.size()) return cut;
  if (text[after] != ',' && text[after] != '}') return ListEnd::kNo;
  const std::size_t next = skip_space(text, after + 1);
  if (next == text.size()) return cut;
  return text[after] == ',' && text[next] == '"' ? ListEnd::kYes : ListEnd::kNo;
}

namespace {

/// What stands at the `}` at `close`.
EventBoundary boundary_at(std::string_view text, std::size_t close, bool at_end) {
  using Kind = EventBoundary::Kind;
  const Kind cut = at_end ? Kind::kNone : Kind::kUndecided;
  const std::size_t mark = skip_space(text, close + 1);
  if (mark == text.size()) return {cut, close, mark};
  if (text[mark] == ',') {
    const std::size_t open = skip_space(text, mark + 1);
    if (open == text.size()) return {cut, close, open};
    if (text[open] != '{') return {};
    const std::size_t quote = skip_space(text, open + 1);
    if (quote == text.size()) return {cut, close, quote};
    return text[quote] == '"' ? EventBoundary{Kind::kNextEvent, close, open} : EventBoundary{};
  }
  if (text[mark] != ']') return {};
  switch (find_list_end(text, mark, at_end)) {
    case ListEnd::kYes:
      return {Kind::kListEnd, close, mark};
    case ListEnd::kUndecided:
      return {Kind::kUndecided, close, mark};
    case ListEnd::kNo:
      break;
  }
  return {};
}

}  // namespace

EventBoundary find_event_boundary(std::string_view text, std::size_t from, bool at_end) {
  while (from < text.size()) {
    const void* found = std::memchr(text.data() + from, '}', text.size() - from);
    if (found == nullptr) break;
    const auto close = static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
    const EventBoundary boundary = boundary_at(text, close, at_end);
    if (boundary.kind != EventBoundary::Kind::kNone) return boundary;
    from = close + 1;
  }
  return {};
}

}  // namespace gradwire
