#include "simulator/scenario/what_if_text.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "base/errors.hpp"
#include "simulator/scenario/what_if_verbs.hpp"

namespace gradwire {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

const WhatIfEntry& find_entry(const WhatIfWords& words) {
  std::vector<std::string_view> known;
  for (const WhatIfEntry& entry : what_if_entries()) {
    if (entry.facts.name == words.verb()) return entry;
    known.push_back(entry.facts.name);
  }
  words.refuse(fmt::format("\"{}\" found; accepted: {}", words.verb(), fmt::join(known, ", ")));
}

/// What the what-ifs in front have changed, by quantity.
using Changed = std::map<std::string_view, std::string>;

void refuse_contradiction(const WhatIfWords& words, const WhatIfEntry& entry, bool sets,
                          const Changed& changed) {
  if (const auto found = changed.find(entry.quantity); sets && found != changed.end()) {
    words.refuse(
        fmt::format("contradicts \"{}\" in front of it; one of both is accepted", found->second));
  }
  const bool overlaps = words.verb() == "mode" && words.value() == "overlapped";
  if (overlaps && changed.contains("overlap")) {
    words.refuse("contradicts \"overlap=off\" in front of it; one of both is accepted");
  }
  const auto mode = changed.find("mode");
  if (words.verb() == "overlap" && mode != changed.end() && mode->second == "mode=overlapped") {
    words.refuse("contradicts \"mode=overlapped\" in front of it; one of both is accepted");
  }
}

WhatIf read_what_if(std::string_view text, std::string_view what, Changed& changed) {
  WhatIfWords words(text, what);
  const WhatIfEntry& entry = find_entry(words);
  WhatIfReading reading = [&] {
    try {
      return entry.read(words);
    } catch (const InputError& error) {
      const std::string sentence = error.what();
      if (sentence.starts_with(words.place())) throw;
      words.refuse(sentence);
    }
  }();
  words.refuse_unread();
  refuse_contradiction(words, entry, reading.sets, changed);
  changed.emplace(entry.quantity, text);
  return {std::string{text}, std::move(reading.change)};
}

}  // namespace

const std::vector<WhatIfVerb>& what_if_verbs() {
  static const std::vector<WhatIfVerb> kVerbs = [] {
    std::vector<WhatIfVerb> verbs;
    for (const WhatIfEntry& entry : what_if_entries()) verbs.push_back(entry.facts);
    return verbs;
  }();
  return kVerbs;
}

std::vector<WhatIf> parse_what_ifs(std::string_view text, std::string_view what) {
  std::vector<WhatIf> what_ifs;
  Changed changed;
  std::string_view left = text;
  while (!trimmed(left).empty()) {
    const std::size_t end = left.find(';');
    const std::string_view one = trimmed(left.substr(0, end));
    if (one.empty()) {
      throw InputError(fmt::format(
          "{}: \"{}\": nothing found between two \";\"; a what-if is accepted", what, text));
    }
    what_ifs.push_back(read_what_if(one, what, changed));
    left = end == std::string_view::npos ? std::string_view{} : left.substr(end + 1);
  }
  return what_ifs;
}

Scenario with_what_ifs(Scenario scenario, const std::vector<WhatIf>& what_ifs) {
  for (const WhatIf& what_if : what_ifs) {
    try {
      scenario = what_if.apply(std::move(scenario));
    } catch (const InputError& error) {
      throw InputError(fmt::format("what if {}: {}", what_if.text, error.what()));
    }
  }
  return scenario;
}

}  // namespace gradwire
