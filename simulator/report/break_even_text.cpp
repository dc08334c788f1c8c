#include "simulator/report/break_even_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/errors.hpp"
#include "base/unit_text.hpp"

namespace gradwire {
namespace {

std::string interval_text(BreakEvenUnknown unknown, const BreakEvenInterval& interval) {
  const std::string from = value_text(unknown, interval.from);
  const std::string to = value_text(unknown, interval.to);
  const bool whole = is_whole(unknown);
  if (!interval.from_is_root && !interval.to_is_root) return "everywhere";
  if (!interval.from_is_root) return (whole ? "up to " : "below ") + to;
  if (!interval.to_is_root) return whole ? "from " + from + " on" : "above " + from;
  if (from == to) return "at " + to;
  return fmt::format(fmt::runtime(whole ? "from {} to {}" : "between {} and {}"), from, to);
}

/// "12.3 % faster", "4.0 % slower", "27 times as long", or as an efficiency "38.1 %".
std::string value_of_goal(const BreakEven& found, double value) {
  if (found.goal != BreakEvenGoal::kFaster) {
    return fmt::format("{:.1f} %", value * 100.0);
  }
  if (std::abs(value - 1.0) < 1e-9) return "as fast";  // up to rounding
  if (value < 0.1) return fmt::format("{:.4g} times as long", 1.0 / value);
  const double saved = 1.0 - 1.0 / value;
  return fmt::format("{:.1f} % {}", std::abs(saved) * 100.0, saved < 0.0 ? "slower" : "faster");
}

/// What the place is a place of, where its unit does not say so.
const char* lead_of(BreakEvenUnknown unknown) {
  switch (unknown) {
    case BreakEvenUnknown::kCodec:
      return "with an encode and decode time ";
    case BreakEvenUnknown::kRatio:
      return "with a compression ratio ";
    case BreakEvenUnknown::kCompute:
      return "with compute ";
    case BreakEvenUnknown::kBandwidth:
    case BreakEvenUnknown::kBatch:
    case BreakEvenUnknown::kWorkers:
      return "";
  }
  GW_CHECK(false, "an unknown without a case");
}

std::string subject_of(const BreakEven& found, const std::string& compressor,
                       const std::string& baseline) {
  const std::string target =
      fmt::format("has an efficiency of at least {:.4g} %", found.target_efficiency * 100.0);
  if (found.goal == BreakEvenGoal::kFaster) {
    return fmt::format("{} is faster than {}", compressor, baseline);
  }
  if (found.goal == BreakEvenGoal::kEfficient) return fmt::format("{} {}", compressor, target);
  if (found.unknown == BreakEvenUnknown::kRatio) {
    return fmt::format("A codec that costs nothing, in DDP's buckets, {}", target);
  }
  return fmt::format("Without a compressor {} {}", baseline, target);
}

}  // namespace

std::string value_text(BreakEvenUnknown unknown, double value) {
  switch (unknown) {
    case BreakEvenUnknown::kBandwidth:
      return format_bandwidth(BitsPerSecond{value});
    case BreakEvenUnknown::kCodec:
      return format_duration(Seconds{value});
    case BreakEvenUnknown::kRatio:
      return fmt::format("{:.5g}", value);
    case BreakEvenUnknown::kBatch:
      return fmt::format("{:.0f} {} a rank", value, value == 1.0 ? "sample" : "samples");
    case BreakEvenUnknown::kWorkers:
      return fmt::format("{:.0f} workers", value);
    case BreakEvenUnknown::kCompute:
      return fmt::format("{:.4g} times its speed", value);
  }
  GW_CHECK(false, "an unknown without a case");
}

std::string place_text(BreakEvenUnknown unknown, const std::vector<BreakEvenInterval>& holds) {
  if (holds.empty()) return "nowhere";
  std::string text;
  for (const BreakEvenInterval& interval : holds) {
    text += (text.empty() ? "" : " and ") + interval_text(unknown, interval);
  }
  return text;
}

std::string break_even_sentence(const BreakEven& found, const std::string& compressor,
                                const std::string& baseline) {
  std::string text = fmt::format("{} {}{}", subject_of(found, compressor, baseline),
                                 lead_of(found.unknown), place_text(found.unknown, found.holds));
  // Without a root only the ends tell how far it is from one.
  if (found.holds.empty() || found.holds_everywhere()) {
    const std::string low = value_text(found.unknown, found.range.low);
    const std::string high = value_text(found.unknown, found.range.high);
    text += fmt::format(" from {} to {}: {} at {}, {} at {}", low, high,
                        value_of_goal(found, found.value_low), low,
                        value_of_goal(found, found.value_high), high);
  }
  if (found.here) {
    const bool relative =
        found.unknown == BreakEvenUnknown::kRatio || found.unknown == BreakEvenUnknown::kCompute;
    text += fmt::format(
        "; {}, {}", relative ? "as it is" : "here, at " + value_text(found.unknown, *found.here),
        value_of_goal(found, found.value_here));
  }
  if (found.band) {
    const std::string least = place_text(found.unknown, found.band->narrowest);
    const std::string most = place_text(found.unknown, found.band->widest);
    if (least != most) {
      text += fmt::format(". Inside the bands at the least {}, at the most {}", least, most);
    }
  }
  return text + ".";
}

}  // namespace gradwire
