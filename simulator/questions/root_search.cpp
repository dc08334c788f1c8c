#include "simulator/questions/root_search.hpp"

#include <cmath>

#include "base/errors.hpp"

namespace gradwire {
namespace {

double bisect(const std::function<double(double)>& function, double low, double high,
              bool low_is_below, double precision) {
  while (high / low > 1.0 + precision) {
    const double middle = std::sqrt(low * high);
    ((function(middle) < 0.0) == low_is_below ? low : high) = middle;
  }
  return std::sqrt(low * high);
}

}  // namespace

SignSearch find_sign_changes(const std::function<double(double)>& function,
                             const SearchRange& range) {
  GW_CHECK(range.low > 0.0 && range.high > range.low && range.samples >= 2 && range.precision > 0.0,
           "a search needs a range of positive numbers");
  SignSearch result;
  double before = range.low;
  double value = function(before);
  result.value_low = value;
  for (int i = 1; i < range.samples; ++i) {
    const double share = static_cast<double>(i) / (range.samples - 1);
    const double here =
        i + 1 == range.samples ? range.high : range.low * std::pow(range.high / range.low, share);
    const double value_here = function(here);
    if ((value < 0.0) != (value_here < 0.0)) {
      result.changes.push_back(
          {bisect(function, before, here, value < 0.0, range.precision), value < 0.0});
    }
    before = here;
    value = value_here;
  }
  result.value_high = value;
  return result;
}

}  // namespace gradwire
