#include "simulator/report/explanation_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/unit_text.hpp"
#include "simulator/report/answer_text.hpp"

namespace gradwire {
namespace {

/// What belongs together in a sentence.
struct Group {
  std::string name;
  Seconds time{0};
};

struct PathCollectives {
  int count = 0;
  Seconds bytes{0};
  Seconds latency{0};
  const PathStep* longest = nullptr;

  explicit PathCollectives(const Explanation& explanation)
      : bytes(explanation.on_path.exposed_bandwidth), latency(explanation.on_path.exposed_latency) {
    for (const PathStep& step : explanation.path) {
      if (step.segment.activity != Activity::kCommunication) continue;
      ++count;
      const auto length = [](const PathStep& of) { return of.segment.end - of.segment.start; };
      if (longest == nullptr || length(step) > length(*longest)) longest = &step;
    }
  }
};

std::string count_words(int count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// "47.3 ms of compute, 45.0 ms of encoding and decoding and 11.9 ms of 3 collectives".
std::string path_sentence(const Explanation& explanation, const PathCollectives& collectives) {
  const Breakdown& parts = explanation.on_path;
  std::vector<std::string> pieces;
  const auto add = [&](Seconds time, const std::string& what) {
    if (time > Seconds{1e-9})
      pieces.push_back(fmt::format("{} of {}", format_duration(time), what));
  };
  add(parts.compute, "compute");
  add(parts.overlap_slowdown, "sharing the device");
  add(parts.encode + parts.decode, "encoding and decoding");
  add(parts.host, "the host thread");
  add(parts.exposed(), count_words(collectives.count, "collective"));
  if (pieces.empty()) return {};
  std::string sentence = "The critical path consists of " + pieces.front();
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    sentence += (i + 1 == pieces.size() ? " and " : ", ") + pieces[i];
  }
  return sentence;
}

/// The largest group of the path.
Group bound_of(const Explanation& explanation, const PathCollectives& collectives) {
  const Breakdown& parts = explanation.on_path;
  std::vector<Group> groups = {
      {"compute", parts.compute + parts.overlap_slowdown},
      {"encoding and decoding", parts.encode + parts.decode},
      {"the host thread, which launches kernels and runs hooks", parts.host},
      {"latency", collectives.latency},
  };
  std::string bytes = "bytes";
  if (collectives.longest != nullptr && collectives.longest->link) {
    bytes += " on " + link_words(*collectives.longest->link);
  }
  groups.push_back({bytes, collectives.bytes});
  return *std::max_element(groups.begin(), groups.end(),
                           [](const Group& a, const Group& b) { return a.time < b.time; });
}

/// "3 all-reduces one after the other (1-D tensors, P, Q)".
std::string exchange_words(const std::vector<Transfer>& exchange) {
  std::vector<std::string> names;
  for (const Transfer& transfer : exchange) names.push_back(transfer.what);
  const auto are_all = [&](CollectiveKind kind) {
    return std::all_of(exchange.begin(), exchange.end(),
                       [&](const Transfer& transfer) { return transfer.kind == kind; });
  };
  const char* what = "collectives";
  if (are_all(CollectiveKind::kAllReduce)) what = "all-reduces";
  if (are_all(CollectiveKind::kAllGather)) what = "all-gathers";
  return fmt::format("{} {} one after the other ({})", exchange.size(), what,
                     fmt::join(names, ", "));
}

/// Latency that is paid again by every collective, where it matters: from a hundredth of the whole.
std::string latency_sentence(const Explanation& explanation, const PathCollectives& collectives) {
  constexpr double kMatters = 0.01;
  if (collectives.count == 0 || collectives.latency < kMatters * explanation.result.backward_sync) {
    return {};
  }
  const std::string share = fmt::format(
      "{:.0f} %", collectives.latency / (collectives.latency + collectives.bytes) * 100.0);
  if (collectives.count == 1) return fmt::format(" Of that collective {} is latency.", share);
  std::string sentence;
  if (explanation.exchange.size() > 1) {
    sentence = fmt::format(" An exchange is {}, each of which pays the latency again.",
                           exchange_words(explanation.exchange));
  }
  return sentence + fmt::format(
                        " The latency of {} sequential collectives is {} of the path, {} of "
                        "their time.",
                        collectives.count, format_duration(collectives.latency), share);
}

/// What a percent of each input is worth, the largest first.
std::string gain_sentence(const Explanation& explanation) {
  constexpr Seconds kNothing{1e-9};
  std::vector<std::string> pieces;
  std::vector<std::string> nothing;
  for (const Gain& gain : explanation.gains) {
    if (gain.saved > kNothing) {
      pieces.push_back(fmt::format("{} saves {}", gain_words(gain), format_duration(gain.saved)));
    } else {
      nothing.push_back(gain_words(gain));
    }
  }
  if (pieces.empty()) return {};
  std::string sentence = " What would help most, a percent each by itself: " +
                         fmt::format("{}", fmt::join(pieces, ", "));
  if (!nothing.empty()) {
    sentence += fmt::format("; {} nothing", fmt::join(nothing, " and "));
  }
  return sentence + ".";
}

/// Why a compressor wins or loses: the differences of the two breakdowns, which sum to that of the
/// times.
std::string compressor_sentence(const ExplanationReport& report) {
  if (!report.explanation.uncompressed) return {};
  const IterationResult& without = *report.explanation.uncompressed;
  const IterationResult& with = report.explanation.result;
  const Breakdown& before = without.breakdown;
  const Breakdown& after = with.breakdown;
  const std::vector<Group> differences = {
      {"encoding and decoding", after.encode + after.decode - before.encode - before.decode},
      {"waiting for the host thread", after.host - before.host},
      {"exposed communication", after.exposed() - before.exposed()},
      {"compute slowed by sharing the device", after.overlap_slowdown - before.overlap_slowdown},
      {"compute", after.compute - before.compute},
      {"waiting for other ranks", after.waiting - before.waiting},
  };
  constexpr Seconds kNothing{1e-9};
  std::vector<std::string> costs;
  std::vector<std::string> savings;
  for (const Group& difference : differences) {
    if (difference.time > kNothing) {
      costs.push_back(format_duration(difference.time) + " of " + difference.name);
    } else if (difference.time < -kNothing) {
      savings.push_back(format_duration(-difference.time) + " of " + difference.name);
    }
  }
  const auto list = [](const std::vector<std::string>& pieces) {
    return pieces.empty() ? std::string{"nothing"} : fmt::format("{}", fmt::join(pieces, " and "));
  };
  const Seconds saved = without.backward_sync - with.backward_sync;
  return fmt::format(
      " Against float32 without it ({}) the compressor costs {} and saves {}: {} {}.",
      format_duration(without.backward_sync), list(costs), list(savings),
      format_duration(std::max(saved, -saved)), saved >= Seconds{0} ? "faster" : "slower");
}

}  // namespace

std::string link_words(const BoundingLink& link) {
  const std::string speed = format_bandwidth(link.load.bandwidth);
  if (link.all_alike) return fmt::format("the {}, {}", plural_of(link.load.place.kind), speed);
  return fmt::format("{}, {}", link.load.name, speed);
}

std::string cause_words(const PathSegment& segment) {
  std::string words;
  if (segment.last_to_arrive) {
    words = fmt::format("rank {} arrives last, ", *segment.last_to_arrive);
  }
  switch (segment.cause) {
    case Cause::kStart:
      return words + "starts at once";
    case Cause::kStreamOrder:
      return words + fmt::format("behind {} on its stream", segment.behind);
    case Cause::kDependency:
      break;
  }
  const bool launch =
      segment.behind_activity == Activity::kHost && segment.activity != Activity::kHost;
  return words + fmt::format("{} {}", launch ? "launched behind" : "needs", segment.behind);
}

std::string gain_words(const Gain& gain) {
  switch (gain.input) {
    case Improvement::kBandwidth:
      return fmt::format("1 % more bandwidth ({})",
                         format_bandwidth(BitsPerSecond{gain.step * 1e9}));
    case Improvement::kLatency:
      return fmt::format("1 % less latency between nodes ({})",
                         format_duration(Seconds{gain.step}));
    case Improvement::kEncodeDecode:
      return fmt::format("1 % less encoding and decoding ({})",
                         format_duration(Seconds{gain.step}));
    case Improvement::kCompute:
      break;
  }
  return fmt::format("1 % less compute ({})", format_duration(Seconds{gain.step}));
}

std::string explanation_paragraph(const ExplanationReport& report) {
  const Explanation& explanation = report.explanation;
  std::string text =
      answer_sentence(report.workers, report.bandwidth, explanation.result, report.compressor);
  const PathCollectives collectives(explanation);
  const std::string path = path_sentence(explanation, collectives);
  if (path.empty()) return text;
  const Group bound = bound_of(explanation, collectives);
  text += fmt::format(" {}: {} most of all, with {:.1f} % of it.", path, bound.name,
                      bound.time / explanation.result.backward_sync * 100.0);
  text += latency_sentence(explanation, collectives);
  text += gain_sentence(explanation);
  text += compressor_sentence(report);
  return text;
}

}  // namespace gradwire
