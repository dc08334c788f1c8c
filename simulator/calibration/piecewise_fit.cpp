#include "simulator/calibration/piecewise_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/errors.hpp"

namespace gradwire {
namespace {

struct Line {
  double latency = 0.0;
  double slope = 0.0;
  double cost = 0.0;  ///< sum of squared relative residuals
};

/// Weighted moments of (size, time) with weights 1 / time^2, updated point by point (West 1979), so
/// that nothing is lost between sizes that are decades apart.
class LineMoments {
 public:
  void add(const SizedTime& point) {
    const double x = static_cast<double>(point.size.count());
    const double y = point.time.count();
    const double weight = 1.0 / (y * y);
    weights_ += weight;
    const double dx = x - mean_x_;
    const double dy = y - mean_y_;
    mean_x_ += dx * weight / weights_;
    mean_y_ += dy * weight / weights_;
    xx_ += weight * dx * (x - mean_x_);
    xy_ += weight * dx * (y - mean_y_);
    yy_ += weight * dy * (y - mean_y_);
  }

  /// Least squares with both coefficients not negative: where the free optimum has a negative one,
  /// the best lies on the bound, for the cost is convex.
  Line line() const {
    const double free_slope = xx_ > 0.0 ? xy_ / xx_ : 0.0;
    if (free_slope < 0.0) return with(mean_y_, 0.0);
    const double free_latency = mean_y_ - free_slope * mean_x_;
    if (free_latency >= 0.0) return with(free_latency, free_slope);
    const double through_zero =
        (xy_ + weights_ * mean_x_ * mean_y_) / (xx_ + weights_ * mean_x_ * mean_x_);
    return with(0.0, through_zero);
  }

  double latency_variance_factor() const { return 1.0 / weights_ + mean_x_ * mean_x_ / xx_; }
  double slope_variance_factor() const { return 1.0 / xx_; }
  double slope_variance_factor_through_zero() const {
    return 1.0 / (xx_ + weights_ * mean_x_ * mean_x_);
  }
  double mean_variance_factor() const { return 1.0 / weights_; }

 private:
  Line with(double latency, double slope) const {
    const double offset = latency + slope * mean_x_ - mean_y_;
    const double cost = yy_ + slope * slope * xx_ - 2.0 * slope * xy_ + weights_ * offset * offset;
    return {latency, slope, std::max(0.0, cost)};
  }

  double weights_ = 0.0;
  double mean_x_ = 0.0;
  double mean_y_ = 0.0;
  double xx_ = 0.0;
  double xy_ = 0.0;
  double yy_ = 0.0;
};

RelativeResiduals residuals_of(const LinePiece& piece, const SizedTime* begin,
                               const SizedTime* end) {
  RelativeResiduals result;
  std::vector<double> found;
  for (const SizedTime* point = begin; point != end; ++point) {
    const double residual = std::abs(piece.time_of(point->size) / point->time - 1.0);
    found.push_back(residual);
    if (point == begin || residual > result.largest) {
      result.largest = residual;
      result.largest_at = point->size;
    }
  }
  std::sort(found.begin(), found.end());
  const std::size_t count = found.size();
  result.median = (found[(count - 1) / 2] + found[count / 2]) / 2.0;
  result.p90 = found[(9 * count + 9) / 10 - 1];
  return result;
}

/// The line of points [begin, end) with what is known of its errors.
LinePiece piece_of(const std::vector<SizedTime>& points, std::size_t begin, std::size_t end) {
  LineMoments moments;
  for (std::size_t i = begin; i < end; ++i) moments.add(points[i]);
  const Line line = moments.line();
  LinePiece piece;
  piece.first = points[begin].size;
  piece.last = points[end - 1].size;
  piece.points = static_cast<int>(end - begin);
  piece.latency = Seconds{line.latency};
  piece.seconds_per_byte = line.slope;
  piece.residuals = residuals_of(piece, &points[begin], points.data() + end);
  const bool both = line.latency > 0.0 && line.slope > 0.0;
  const double freedom = static_cast<double>(piece.points) - (both ? 2.0 : 1.0);
  if (piece.points <= 2) return piece;
  const double variance = line.cost / freedom;
  if (line.latency > 0.0) {
    piece.latency_error = Seconds{std::sqrt(
        variance * (both ? moments.latency_variance_factor() : moments.mean_variance_factor()))};
  }
  if (line.slope > 0.0) {
    piece.seconds_per_byte_error =
        std::sqrt(variance * (both ? moments.slope_variance_factor()
                                   : moments.slope_variance_factor_through_zero()));
  }
  return piece;
}

/// costs[first][last - first]: of one line through points first .. last.
std::vector<std::vector<double>> costs_of_lines(const std::vector<SizedTime>& points) {
  std::vector<std::vector<double>> costs(points.size());
  for (std::size_t first = 0; first < points.size(); ++first) {
    LineMoments moments;
    for (std::size_t last = first; last < points.size(); ++last) {
      moments.add(points[last]);
      costs[first].push_back(moments.line().cost);
    }
  }
  return costs;
}

/// Where the pieces of the least cost begin, for each number of pieces from 1 up.
struct Split {
  double cost = 0.0;
  std::vector<std::size_t> begins;
};

std::vector<Split> best_splits(const std::vector<SizedTime>& points, std::size_t most_pieces) {
  constexpr double kImpossible = std::numeric_limits<double>::infinity();
  const std::size_t count = points.size();
  const auto costs = costs_of_lines(points);
  // best[end]: least cost of the points before `end` with so many pieces; from[pieces][end]: where
  // the last of them begins.
  std::vector<double> best(count + 1, kImpossible);
  best[0] = 0.0;
  std::vector<std::vector<std::size_t>> from;
  std::vector<Split> splits;
  const std::size_t least = std::min(kLeastPointsOfPiece, count);
  for (std::size_t pieces = 1; pieces <= most_pieces; ++pieces) {
    std::vector<double> next(count + 1, kImpossible);
    from.emplace_back(count + 1, 0);
    for (std::size_t end = least; end <= count; ++end) {
      for (std::size_t begin = 0; begin + least <= end; ++begin) {
        if (best[begin] == kImpossible) continue;
        const double cost = best[begin] + costs[begin][end - 1 - begin];
        if (cost < next[end]) {
          next[end] = cost;
          from.back()[end] = begin;
        }
      }
    }
    best = std::move(next);
    Split split{best[count], {}};
    std::size_t end = count;
    for (std::size_t piece = pieces; piece-- > 0;) {
      end = from[piece][end];
      split.begins.insert(split.begins.begin(), end);
    }
    splits.push_back(std::move(split));
  }
  return splits;
}

double information_criterion(const Split& split, std::size_t count) {
  const double points = static_cast<double>(count);
  const double mean = std::max(split.cost / points, kPrintedPrecision * kPrintedPrecision);
  const double parameters = 3.0 * static_cast<double>(split.begins.size()) - 1.0;
  return points * std::log(mean) + parameters * std::log(points);
}

}  // namespace

std::vector<LinePiece> fit_pieces(const std::vector<SizedTime>& points) {
  GW_CHECK(points.size() >= 2 && points.size() <= kMostFittedSizes, "a line needs two sizes");
  for (std::size_t i = 0; i < points.size(); ++i) {
    GW_CHECK(points[i].size.count() > 0 && points[i].time.count() > 0.0, "sizes and times above 0");
    GW_CHECK(i == 0 || points[i - 1].size < points[i].size, "sizes ascend");
  }
  const std::size_t most =
      std::clamp(points.size() / kLeastPointsOfPiece, std::size_t{1}, kMostPieces);
  const std::vector<Split> splits = best_splits(points, most);
  const auto best =
      std::min_element(splits.begin(), splits.end(), [&](const Split& left, const Split& right) {
        return information_criterion(left, points.size()) <
               information_criterion(right, points.size());
      });
  std::vector<LinePiece> pieces;
  for (std::size_t i = 0; i < best->begins.size(); ++i) {
    const std::size_t end = i + 1 < best->begins.size() ? best->begins[i + 1] : points.size();
    pieces.push_back(piece_of(points, best->begins[i], end));
  }
  return pieces;
}

}  // namespace gradwire
