#pragma once

#include <functional>
#include <vector>

namespace gradwire {

/// A place where a function of one positive variable goes through zero.
struct SignChange {
  double at = 0.0;      ///< inside the range, to the relative precision asked for
  bool rising = false;  ///< from below zero to above it
};

/// What a search over a range has found.
struct SignSearch {
  std::vector<SignChange> changes;  ///< ascending
  double value_low = 0.0;           ///< of the function at the low end of the range
  double value_high = 0.0;          ///< and at its high end
};

struct SearchRange {
  double low = 1.0;         ///< above 0
  double high = 10.0;       ///< above `low`
  int samples = 65;         ///< places looked at first, at equal ratios, both ends among them
  double precision = 1e-6;  ///< relative, of each place
};

/// Where `function` changes its sign in `range`: between two neighbouring samples of different sign
/// by bisection at the geometric mean, so that jumps are found like crossings. Zero counts as
/// above. Two changes between neighbouring samples are not seen. Requires a range as its fields
/// say.
SignSearch find_sign_changes(const std::function<double(double)>& function,
                             const SearchRange& range);

}  // namespace gradwire
