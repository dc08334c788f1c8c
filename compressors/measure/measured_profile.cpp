#include "compressors/measure/measured_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "compressors/spec/registry.hpp"

namespace gradwire {
namespace {

/// Of one half of the samples.
struct Middle {
  Seconds low{0};
  Seconds median{0};
  Seconds high{0};
};

/// To a tenth of a nanosecond, finer than any clock here, so that a file shows what was measured
/// and not the binary fractions of it.
Seconds rounded(Seconds time) {
  constexpr double kTenthsOfANanosecond = 1e10;
  return Seconds{std::round(time.count() * kTenthsOfANanosecond) / kTenthsOfANanosecond};
}

Middle middle_of(const std::vector<EncodeDecodeTime>& samples, Seconds EncodeDecodeTime::*half) {
  GW_CHECK(!samples.empty(), "a piece without samples");
  std::vector<Seconds> times;
  for (const EncodeDecodeTime& sample : samples) times.push_back(sample.*half);
  std::sort(times.begin(), times.end());
  const std::size_t middle = times.size() / 2;
  const Seconds median =
      times.size() % 2 == 1 ? times[middle] : (times[middle - 1] + times[middle]) / 2.0;
  return {rounded(times.front()), rounded(median), rounded(times.back())};
}

CostEntry entry_of(const MeasuredPiece& measured, const std::string& implementation,
                   const std::string& date) {
  const MeasurementPiece& piece = measured.piece;
  const Middle encode = middle_of(measured.samples, &EncodeDecodeTime::encode);
  const Middle decode = middle_of(measured.samples, &EncodeDecodeTime::decode);
  const auto samples = static_cast<int>(measured.samples.size());
  CostEntry entry;
  entry.scheme = scheme_text_of(*parse_scheme(piece.scheme));
  entry.elements = total_elements(piece.shapes);
  entry.tensors = static_cast<int>(piece.shapes.size());
  entry.ranks = piece.ranks;
  entry.encode = encode.median;
  entry.decode = decode.median;
  entry.date = date;
  entry.provenance = {"measured",
                      fmt::format("{} on {}, median of {}", implementation, piece.model, samples)};
  entry.spread = MeasuredSpread{samples, encode.low, encode.high, decode.low, decode.high};
  return entry;
}

}  // namespace

CostProfile measured_profile(const MeasuredMachine& machine,
                             const MeasuredImplementation& implementation,
                             const MeasurementOutcome& outcome, const std::string& date) {
  CostProfile profile;
  profile.name = fmt::format("{} on {}", implementation.name, machine.name);
  profile.device_patterns = {machine.name};
  profile.measuring = MeasuringContext{
      machine, implementation.name,
      fmt::format("{}; one rank, medians with the smallest and largest sample, collectives left "
                  "out",
                  implementation.summary),
      date, outcome.left_out};
  for (const MeasuredPiece& measured : outcome.measured) {
    profile.entries.push_back(entry_of(measured, implementation.name, date));
  }
  return profile;
}

}  // namespace gradwire
