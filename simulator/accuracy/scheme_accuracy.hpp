#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"
#include "simulator/accuracy/gradient_dump.hpp"

namespace gradwire {

/// How far the result r of an exchange is from the true average a of the ranks' gradients, over all
/// elements of an iteration, in double.
struct ExchangeError {
  /// |r - a| / |a|, Euclidean norms. Absent where a is zero, a or r is not finite, and for a scheme
  /// whose result is no average.
  std::optional<double> relative_error;
  /// r a / (|r| |a|). Absent where r or a is zero or not finite.
  std::optional<double> cosine;
};

/// Of some figures, those that are there.
struct FigureSpread {
  double median = 0.0;  ///< mean of the two in the middle when the count is even
  double worst = 0.0;   ///< the largest error, the lowest cosine
};

/// What one scheme made of recorded gradients.
struct SchemeAccuracy {
  std::string scheme;         ///< as `parse_scheme` reads it, with every parameter
  Bytes payload{0};           ///< of an exchange, a rank, as float32
  Bytes wire{0};              ///< what a rank puts on the wire instead
  bool gives_average = true;  ///< else relative errors are not defined: `Reference::gives_average`
  bool error_memory = false;  ///< the result carries what earlier ones left out
  std::vector<ExchangeError> exchanges;  ///< one an iteration, in order
  /// Of the sum of all results to the sum of all averages: what error feedback still owes at the
  /// end. Absent when an iteration's gradients or result are not finite.
  ExchangeError sum;
  int measured_iterations = 0;  ///< gradients and result are finite
  int broken_results = 0;       ///< results that are not finite although the gradients are

  double wire_ratio() const {
    return static_cast<double>(payload.count()) / static_cast<double>(wire.count());
  }
  /// Over the iterations that have one; absent when none has.
  std::optional<FigureSpread> relative_errors() const;
  std::optional<FigureSpread> cosines() const;
};

/// Exchanges the iterations in order through `spelling`'s CPU reference, state (error memory, warm
/// start, random numbers) carried from one to the next from an empty one on, and compares rank 0's
/// results with the true averages. An iteration that is not finite is exchanged too, as in
/// training. Calls `exchanged` after each. Throws InputError as `make_reference` and
/// `gradients.read` do.
SchemeAccuracy measure_accuracy(
    const RecordedGradients& gradients, std::string_view spelling, std::uint64_t seed,
    const std::function<void()>& exchanged = [] {});

/// Throws InputError when `measure_accuracy` would for any gradients.
void check_measurable(std::string_view spelling);

/// Every scheme that has a reference, in the order of their registry; where its strength is a
/// parameter, one or two usual values of it.
std::vector<std::string> usual_compressors();

}  // namespace gradwire
