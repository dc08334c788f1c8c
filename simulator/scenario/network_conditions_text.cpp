#include "simulator/scenario/network_conditions_text.hpp"

#include <fmt/format.h>

#include <optional>

#include "base/errors.hpp"
#include "base/number_text.hpp"
#include "base/unit_text.hpp"

namespace gradwire {
namespace {

std::vector<std::string_view> words_of(std::string_view text) {
  constexpr std::string_view kSpace = " \t";
  std::vector<std::string_view> words;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
    if (text.empty()) return words;
    words.push_back(text.substr(0, text.find_first_of(kSpace)));
    text.remove_prefix(words.back().size());
  }
}

/// Words of a text, taken one after the other; `refuse` says what is accepted.
class WordReader {
 public:
  WordReader(std::string_view text, std::string_view what, std::string_view accepted)
      : text_(text), what_(what), accepted_(accepted), words_(words_of(text)) {}

  bool done() const { return next_ == words_.size(); }
  std::string_view take() {
    if (done()) refuse();
    return words_[next_++];
  }
  bool take_if(std::string_view word) {
    if (done() || words_[next_] != word) return false;
    ++next_;
    return true;
  }
  /// All up to `word`, spaces in between included.
  std::string_view take_until(std::string_view word) {
    const std::string_view first = take();
    std::string_view last = first;
    while (!done() && words_[next_] != word) last = take();
    return {first.data(), static_cast<std::size_t>(last.data() + last.size() - first.data())};
  }
  template <class Number>
  Number take_number(std::string_view word) const {
    const std::optional<Number> number = number_from<Number>(word);
    if (!number) refuse();
    return *number;
  }
  [[noreturn]] void refuse() const {
    throw InputError(fmt::format("{}: \"{}\" found; accepted: {}", what_, text_, accepted_));
  }

 private:
  std::string_view text_;
  std::string_view what_;
  std::string_view accepted_;
  std::vector<std::string_view> words_;
  std::size_t next_ = 0;
};

NicsOfNode take_nics(WordReader& words) {
  NicsOfNode nics{words.take_number<int>(words.take())};
  if (words.take_if("out")) {
    nics.inward = false;
  } else if (words.take_if("in")) {
    nics.outward = false;
  }
  return nics;
}

std::variant<NicsOfNode, LinksBetween, NumberedLink> take_links(WordReader& words) {
  if (words.take_if("nic")) return take_nics(words);
  if (!words.take_if("link")) words.refuse();
  const std::string_view name = words.take_until("at");
  if (const std::optional<int> number = number_from<int>(name)) return NumberedLink{*number};
  const std::size_t arrow = name.find('>');
  if (arrow == std::string_view::npos || arrow == 0) words.refuse();
  const bool both_ways = name[arrow - 1] == '<';
  const std::string_view from = name.substr(0, both_ways ? arrow - 1 : arrow);
  const std::string_view to = name.substr(arrow + 1);
  if (from.empty() || to.empty()) words.refuse();
  return LinksBetween{std::string{from}, std::string{to}, both_ways};
}

double take_factor(WordReader& words) {
  const std::string_view word = words.take();
  if (word == "fails") return 0.0;
  if (word == "recovers") return 1.0;
  if (!word.starts_with('x')) words.refuse();
  const auto factor = words.take_number<double>(word.substr(1));
  if (!(factor > 0.0 && factor <= 1.0)) words.refuse();
  return factor;
}

std::string text_of(const NicsOfNode& nics) {
  const char* direction = !nics.inward ? " out" : !nics.outward ? " in" : "";
  return fmt::format("nic {}{}", nics.node, direction);
}

std::string text_of(const LinksBetween& links) {
  return fmt::format("link {}{}>{}", links.from, links.both_ways ? "<" : "", links.to);
}

std::string text_of(const NumberedLink& link) { return fmt::format("link {}", link.link); }

std::string text_of(Seconds time) { return fmt::format("{:g}ms", time.count() * 1e3); }

}  // namespace

LinkEvent parse_link_event(std::string_view text, std::string_view what) {
  WordReader words(text, what,
                   "nic NODE, nic NODE out, nic NODE in, link FROM>TO, link FROM<>TO or link "
                   "NUMBER; \"at\" and a time; then xFACTOR (above 0, at most 1), fails or "
                   "recovers, as in \"nic 3 at 12ms x0.5\"");
  LinkEvent event;
  event.links = take_links(words);
  if (!words.take_if("at")) words.refuse();
  event.at = parse_duration(words.take(), what);
  event.factor = take_factor(words);
  if (!words.done()) words.refuse();
  return event;
}

BackgroundFlow parse_background_flow(std::string_view text, std::string_view what) {
  WordReader words(text, what,
                   "NODE->NODE, then a bandwidth or nothing for as fast as the links let it, then "
                   "\"on\" TIME \"off\" TIME or nothing for always, as in \"0->3 4Gbps on 10ms off "
                   "10ms\"");
  const std::string_view ends = words.take();
  const std::size_t arrow = ends.find("->");
  if (arrow == std::string_view::npos) words.refuse();
  BackgroundFlow flow;
  flow.from = words.take_number<int>(ends.substr(0, arrow));
  flow.to = words.take_number<int>(ends.substr(arrow + 2));
  if (words.done()) return flow;
  if (!words.take_if("on")) {
    flow.rate = parse_bandwidth(words.take(), what);
    if (words.done()) return flow;
    if (!words.take_if("on")) words.refuse();
  }
  flow.on = parse_duration(words.take(), what);
  if (!words.take_if("off")) words.refuse();
  flow.off = parse_duration(words.take(), what);
  if (!words.done()) words.refuse();
  return flow;
}

LatencyJitter parse_latency_jitter(std::string_view text, std::string_view what) {
  constexpr std::string_view kSigma = "sigma=";
  constexpr std::string_view kSeed = "seed=";
  const auto refuse = [&] {
    throw InputError(
        fmt::format("{}: \"{}\" found; accepted: sigma=20% (0% to 1000%), with or without ,seed=7",
                    what, text));
  };
  const std::size_t comma = text.find(',');
  std::string_view sigma = text.substr(0, comma);
  if (!sigma.starts_with(kSigma) || !sigma.ends_with('%')) refuse();
  sigma = sigma.substr(kSigma.size(), sigma.size() - kSigma.size() - 1);
  const std::optional<double> percent = number_from<double>(sigma);
  if (!percent || !(*percent >= 0.0 && *percent <= 1000.0)) refuse();
  LatencyJitter jitter{*percent / 100.0};
  if (comma == std::string_view::npos) return jitter;
  const std::string_view seed = text.substr(comma + 1);
  const std::optional<std::uint64_t> number =
      seed.starts_with(kSeed) ? number_from<std::uint64_t>(seed.substr(kSeed.size()))
                              : std::nullopt;
  if (!number) refuse();
  jitter.seed = *number;
  return jitter;
}

std::string to_text(const LinkEvent& event) {
  const std::string change = event.factor == 0.0   ? "fails"
                             : event.factor == 1.0 ? "recovers"
                                                   : fmt::format("x{:g}", event.factor);
  return fmt::format("{} at {} {}",
                     std::visit([](const auto& links) { return text_of(links); }, event.links),
                     text_of(event.at), change);
}

std::string to_text(const BackgroundFlow& flow) {
  std::string text = fmt::format("{}->{}", flow.from, flow.to);
  if (flow.rate) text += fmt::format(" {:g}Gbps", flow.rate->count() / 1e9);
  if (flow.off.count() != 0.0 || flow.on.count() != 0.0) {
    text += fmt::format(" on {} off {}", text_of(flow.on), text_of(flow.off));
  }
  return text;
}

std::string to_text(const LatencyJitter& jitter) {
  return fmt::format("sigma={:g}%,seed={}", jitter.sigma * 100.0, jitter.seed);
}

}  // namespace gradwire
