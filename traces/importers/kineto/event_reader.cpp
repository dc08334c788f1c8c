#include "traces/importers/kineto/event_reader.hpp"

#include <simdjson.h>

#include <utility>

#include "traces/importers/kineto/event_repair.hpp"

namespace gradwire {
namespace {

namespace ondemand = simdjson::ondemand;

std::string_view trimmed(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  return last == std::string_view::npos ? std::string_view{} : text.substr(0, last + 1);
}

/// Keys are compared as they are written: none of those that matter holds an escape.
std::string_view key_of(ondemand::field& field) {
  const ondemand::raw_json_string key = field.key();
  const char* text = key.raw();
  std::size_t size = 0;
  while (text[size] != '"') size += text[size] == '\\' ? 2 : 1;
  return {text, size};
}

/// A scalar as it is written; empty for an array or object.
std::string_view scalar_text(ondemand::value& value) { return trimmed(value.raw_json_token()); }

bool is_bare_word(ondemand::value& value) {
  ondemand::json_type type{};
  return value.type().get(type) != simdjson::SUCCESS;
}

simdjson::error_code read_string(ondemand::value& value, std::string_view& out) {
  const simdjson::error_code error = value.get_string().get(out);
  if (error != simdjson::INCORRECT_TYPE) return error;
  out = {};
  return simdjson::SUCCESS;
}

simdjson::error_code read_field(std::string_view key, ondemand::value& value, KinetoEvent& event) {
  if (key == "name") return read_string(value, event.name);
  if (key == "cat") return read_string(value, event.category);
  if (key == "ph") return read_string(value, event.phase);
  if (key == "ts") {
    event.time = without_quotes(scalar_text(value));
  } else if (key == "dur") {
    event.duration = without_quotes(scalar_text(value));
  } else if (key == "pid") {
    event.process = without_quotes(scalar_text(value));
  } else if (key == "tid") {
    event.thread = without_quotes(scalar_text(value));
  } else if (key == "args") {
    ondemand::object args;
    const simdjson::error_code error = value.get_object().get(args);
    if (error == simdjson::INCORRECT_TYPE) return simdjson::SUCCESS;
    if (error != simdjson::SUCCESS) return error;
    return args.raw_json().get(event.args);
  }
  return simdjson::SUCCESS;
}

}  // namespace

struct EventReader::State {
  ondemand::parser events;
  ondemand::parser args;
  simdjson::dom::parser whole;
  std::string repaired;

  simdjson::error_code read(const char* text, std::size_t size, std::size_t readable,
                            KinetoEvent& event) {
    ondemand::document document;
    if (auto error = events.iterate(text, size, readable).get(document)) return error;
    ondemand::object object;
    if (auto error = document.get_object().get(object)) return error;
    for (auto item : object) {
      ondemand::field field;
      if (auto error = std::move(item).get(field)) return error;
      ondemand::value value = field.value();
      const std::string_view key = key_of(field);
      if (is_bare_word(value)) event.bare_value = true;
      if (auto error = read_field(key, value, event)) return error;
      // Half of all events are ends of flows and instants, of which nothing more is wanted.
      if (key == "ph" && event.phase != "X") return simdjson::SUCCESS;
    }
    const char* rest = nullptr;
    return document.current_location().get(rest) == simdjson::OUT_OF_BOUNDS
               ? simdjson::SUCCESS
               : simdjson::TRAILING_CONTENT;
  }

  simdjson::error_code check_whole(const char* text, std::size_t size) {
    return whole.parse(text, size, true).error();
  }
};

EventReader::EventReader() : state_(std::make_unique<State>()) {}
EventReader::~EventReader() = default;

std::optional<std::string> EventReader::read(const EventText& text, KinetoEvent& event) {
  event = KinetoEvent{};
  event.offset = text.offset;
  auto error =
      text.suspect ? state_->check_whole(text.text.data(), text.text.size()) : simdjson::SUCCESS;
  if (error == simdjson::SUCCESS) {
    error = state_->read(text.text.data(), text.text.size(), text.readable, event);
  }
  if (error == simdjson::SUCCESS) return std::nullopt;
  if (!text.suspect) {
    RepairedEvent mended = repair_event(text.text);
    state_->repaired = std::move(mended.text);
    const std::size_t size = state_->repaired.size();
    state_->repaired.resize(size + simdjson::SIMDJSON_PADDING);
    event = KinetoEvent{};
    event.offset = text.offset;
    event.repaired = std::move(mended.kind);
    if (!event.repaired.empty() &&
        state_->check_whole(state_->repaired.data(), size) == simdjson::SUCCESS &&
        state_->read(state_->repaired.data(), size, state_->repaired.size(), event) ==
            simdjson::SUCCESS) {
      return std::nullopt;
    }
  }
  return std::string(simdjson::error_message(error));
}

bool EventReader::read_args(
    const KinetoEvent& event,
    const std::function<void(std::string_view key, std::string_view value)>& visit) {
  if (event.args.empty()) return true;
  ondemand::document document;
  const std::size_t readable = event.args.size() + simdjson::SIMDJSON_PADDING;
  if (state_->args.iterate(event.args.data(), event.args.size(), readable).get(document))
    return false;
  ondemand::object object;
  if (document.get_object().get(object)) return false;
  for (auto item : object) {
    ondemand::field field;
    if (std::move(item).get(field)) return false;
    ondemand::value value = field.value();
    const std::string_view key = key_of(field);
    const std::string_view token = scalar_text(value);
    if (!token.empty() && token.front() == '[' && key.starts_with("Input ")) {
      std::string_view whole;
      if (simdjson::to_json_string(value).get(whole)) return false;
      visit(key, whole);
    } else {
      visit(key, token);
    }
  }
  return true;
}

std::string_view without_quotes(std::string_view text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return text;
  return text.substr(1, text.size() - 2);
}

}  // namespace gradwire
