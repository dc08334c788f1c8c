#include "base/unit_text.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>

#include "base/errors.hpp"

namespace gradwire {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr double kKi = 1024.0;

constexpr std::array kByteUnits = {Unit{"B", 1.0},
                                   Unit{"kB", 1e3},
                                   Unit{"KB", 1e3},
                                   Unit{"MB", 1e6},
                                   Unit{"GB", 1e9},
                                   Unit{"TB", 1e12},
                                   Unit{"KiB", kKi},
                                   Unit{"MiB", kKi* kKi},
                                   Unit{"GiB", kKi* kKi* kKi},
                                   Unit{"TiB", kKi* kKi* kKi* kKi}};

constexpr std::array kBitRateUnits = {
    Unit{"bps", 1.0},    Unit{"kbps", 1e3},   Unit{"Kbps", 1e3},   Unit{"Mbps", 1e6},
    Unit{"Gbps", 1e9},   Unit{"Tbps", 1e12},  Unit{"bit/s", 1.0},  Unit{"kbit/s", 1e3},
    Unit{"Kbit/s", 1e3}, Unit{"Mbit/s", 1e6}, Unit{"Gbit/s", 1e9}, Unit{"Tbit/s", 1e12}};

// Units in a second: dividing by them gives the double next to the decimal number, multiplying by
// 1e-6 does not.
constexpr std::array kTimeUnits = {Unit{"ns", 1e9}, Unit{"us", 1e6}, Unit{"\u00b5s", 1e6},
                                   Unit{"ms", 1e3}, Unit{"s", 1.0}};

// Wide enough for any machine, narrow enough that no computed time is infinite or outgrows integer
// nanoseconds.
constexpr double kMinBitRate = 1.0;
constexpr double kMaxBitRate = 1e18;
constexpr double kMaxTime = 1e6;

struct Amount {
  double value;
  std::string_view unit;
};

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

Amount split(std::string_view text, std::string_view what, std::string_view accepted) {
  const std::string_view body = trim(text);
  double value = 0.0;
  const auto [end, error] = std::from_chars(body.data(), body.data() + body.size(), value);
  if (error != std::errc{} || !std::isfinite(value)) {
    throw InputError(
        fmt::format("{}: \"{}\" is not a number with a unit; accepted: {}", what, text, accepted));
  }
  const auto used = static_cast<std::size_t>(end - body.data());
  const std::string_view unit = trim(body.substr(used));
  if (unit.empty()) {
    throw InputError(fmt::format("{}: \"{}\" has no unit; accepted: {}", what, text, accepted));
  }
  return {value, unit};
}

/// Factor of `unit` in `units`, or 0 when it is none of them.
double factor_of(std::string_view unit, std::span<const Unit> units) {
  for (const Unit& known : units) {
    if (unit == known.name) return known.factor;
  }
  return 0.0;
}

[[noreturn]] void refuse_unit(std::string_view text, std::string_view unit, std::string_view what,
                              std::string_view accepted) {
  throw InputError(fmt::format("{}: \"{}\" has the unknown unit \"{}\"; accepted: {}", what, text,
                               unit, accepted));
}

std::string format_scaled(double value, std::span<const Unit> ascending, std::string_view zero) {
  if (value == 0.0) return std::string{zero};
  const Unit* chosen = &ascending.front();
  for (const Unit& unit : ascending) {
    if (std::abs(value) >= unit.factor * 0.99995) chosen = &unit;
  }
  return fmt::format("{:.4g} {}", value / chosen->factor, chosen->name);
}

}  // namespace

Bytes parse_bytes(std::string_view text, std::string_view what) {
  constexpr std::string_view kAccepted =
      "B, kB, MB, GB (powers of 10), KiB, MiB, GiB (powers of 2), as in 25MiB";
  const Amount amount = split(text, what, kAccepted);
  const double factor = factor_of(amount.unit, kByteUnits);
  if (factor == 0.0) refuse_unit(text, amount.unit, what, kAccepted);
  const double bytes = amount.value * factor;
  if (bytes < 0.0 || bytes > 9.0e18) {
    throw InputError(fmt::format("{}: \"{}\" is out of range; accepted: 0B to 9e18B", what, text));
  }
  if (std::abs(bytes - std::round(bytes)) > 1e-6 * std::max(1.0, bytes * 1e-9)) {
    throw InputError(fmt::format("{}: \"{}\" is not a whole number of bytes; accepted: {}", what,
                                 text, kAccepted));
  }
  return Bytes{std::llround(bytes)};
}

BitsPerSecond parse_bandwidth(std::string_view text, std::string_view what) {
  constexpr std::string_view kAccepted =
      "Mbps, Gbps, Gbit/s (bits, powers of 10), MB/s, GB/s, GiB/s (bytes), as in 10Gbps";
  const Amount amount = split(text, what, kAccepted);
  double bits = amount.value * factor_of(amount.unit, kBitRateUnits);
  if (factor_of(amount.unit, kBitRateUnits) == 0.0) {
    const bool per_second = amount.unit.ends_with("/s");
    const double factor =
        per_second ? factor_of(amount.unit.substr(0, amount.unit.size() - 2), kByteUnits) : 0.0;
    if (factor == 0.0) refuse_unit(text, amount.unit, what, kAccepted);
    bits = BitsPerSecond::from_bytes_per_second(amount.value * factor).count();
  }
  if (!(bits >= kMinBitRate && bits <= kMaxBitRate)) {
    throw InputError(fmt::format(
        "{}: \"{}\" is out of range; accepted: greater than zero, 1bps to 1e9 Gbps", what, text));
  }
  return BitsPerSecond{bits};
}

Seconds parse_duration(std::string_view text, std::string_view what) {
  constexpr std::string_view kAccepted = "ns, us, ms, s, as in 20us";
  const Amount amount = split(text, what, kAccepted);
  const double per_second = factor_of(amount.unit, kTimeUnits);
  if (per_second == 0.0) refuse_unit(text, amount.unit, what, kAccepted);
  if (!(amount.value >= 0.0 && amount.value / per_second <= kMaxTime)) {
    throw InputError(
        fmt::format("{}: \"{}\" is out of range; accepted: not negative, 0s to 1e6s", what, text));
  }
  return Seconds{amount.value / per_second};
}

std::string format_duration(Seconds time) {
  constexpr std::array kUnits = {Unit{"ns", 1e-9}, Unit{"us", 1e-6}, Unit{"ms", 1e-3},
                                 Unit{"s", 1.0}};
  return format_scaled(time.count(), kUnits, "0 s");
}

std::string format_bandwidth(BitsPerSecond bandwidth) {
  constexpr std::array kUnits = {Unit{"bps", 1.0}, Unit{"kbps", 1e3}, Unit{"Mbps", 1e6},
                                 Unit{"Gbps", 1e9}, Unit{"Tbps", 1e12}};
  return format_scaled(bandwidth.count(), kUnits, "0 bps");
}

std::string format_bytes(Bytes bytes) {
  constexpr std::array kUnits = {Unit{"B", 1.0}, Unit{"kB", 1e3}, Unit{"MB", 1e6}, Unit{"GB", 1e9},
                                 Unit{"TB", 1e12}};
  return format_scaled(static_cast<double>(bytes.count()), kUnits, "0 B");
}

}  // namespace gradwire
