#include "simulator/calibration/piecewise_fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace gradwire {
namespace {

struct TrueLine {
  std::int64_t from;  ///< sizes from here up
  double latency;
  double seconds_per_byte;
};

/// Powers of two from 8 B to 1 GiB, each with the time of the last line that covers it, times
/// 1 + scatter * (-1 .. 1).
std::vector<SizedTime> times_of(const std::vector<TrueLine>& lines, double scatter = 0.0,
                                unsigned seed = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> noise(-scatter, scatter);
  std::vector<SizedTime> points;
  for (std::int64_t size = 8; size <= (std::int64_t{1} << 30); size *= 2) {
    double time = 0.0;
    for (const TrueLine& line : lines) {
      if (size >= line.from) {
        time = line.latency + line.seconds_per_byte * static_cast<double>(size);
      }
    }
    points.push_back({Bytes{size}, Seconds{time * (1.0 + noise(random))}});
  }
  return points;
}

const std::vector<TrueLine> kThreeProtocols{
    {0, 20e-6, 1e-9}, {65536, 60e-6, 2e-10}, {8388608, 300e-6, 1e-10}};

TEST(PiecewiseFit, GivesBackOneExactLine) {
  const auto pieces = fit_pieces(times_of({{0, 20e-6, 1e-10}}));
  ASSERT_EQ(pieces.size(), 1U);
  EXPECT_NEAR(pieces[0].latency.count(), 20e-6, 20e-6 * 1e-9);
  EXPECT_NEAR(pieces[0].seconds_per_byte, 1e-10, 1e-10 * 1e-9);
  EXPECT_LT(pieces[0].residuals.largest, 1e-9);
}

TEST(PiecewiseFit, GivesBackThreeExactLinesAndWhereTheyChange) {
  const auto pieces = fit_pieces(times_of(kThreeProtocols));
  ASSERT_EQ(pieces.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(pieces[i].latency.count(), kThreeProtocols[i].latency,
                kThreeProtocols[i].latency * 1e-6);
    EXPECT_NEAR(pieces[i].seconds_per_byte, kThreeProtocols[i].seconds_per_byte,
                kThreeProtocols[i].seconds_per_byte * 1e-6);
  }
  EXPECT_EQ(pieces[0].last.count(), 32768);
  EXPECT_EQ(pieces[1].first.count(), 65536);
  EXPECT_EQ(pieces[1].last.count(), 4194304);
  EXPECT_EQ(pieces[2].first.count(), 8388608);
}

TEST(PiecewiseFit, FindsTheLargePieceThroughTwoPercentNoise) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const auto pieces = fit_pieces(times_of(kThreeProtocols, 0.02, seed));
    // The bandwidth of the largest size is all that the last piece can be sure of.
    EXPECT_NEAR(pieces.back().seconds_per_byte, 1e-10, 0.03e-10) << seed;
    for (const LinePiece& piece : pieces) {
      EXPECT_LE(piece.residuals.largest, 0.05) << seed << " at " << piece.first.count();
    }
  }
}

TEST(PiecewiseFit, HalfTheTimesGiveTwiceTheBandwidthAndHalfTheLatency) {
  const auto points = times_of(kThreeProtocols, 0.02);
  auto faster = points;
  for (SizedTime& point : faster) point.time /= 2.0;
  const auto pieces = fit_pieces(points);
  const auto halves = fit_pieces(faster);
  ASSERT_EQ(pieces.size(), halves.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    EXPECT_EQ(pieces[i].first, halves[i].first);
    EXPECT_NEAR(halves[i].seconds_per_byte * 2.0, pieces[i].seconds_per_byte,
                pieces[i].seconds_per_byte * 1e-9);
    EXPECT_NEAR(halves[i].latency.count() * 2.0, pieces[i].latency.count(),
                pieces[i].latency.count() * 1e-9 + 1e-15);
    EXPECT_NEAR(halves[i].residuals.p90, pieces[i].residuals.p90, 1e-9);
  }
}

TEST(PiecewiseFit, ResidualsAreThoseOfThePoints) {
  const auto points = times_of(kThreeProtocols, 0.05, 7);
  std::size_t covered = 0;
  for (const LinePiece& piece : fit_pieces(points)) {
    std::vector<double> found;
    for (const SizedTime& point : points) {
      if (point.size < piece.first || point.size > piece.last) continue;
      const double fitted =
          piece.latency.count() + piece.seconds_per_byte * static_cast<double>(point.size.count());
      found.push_back(std::abs(fitted - point.time.count()) / point.time.count());
      if (point.size == piece.residuals.largest_at) {
        EXPECT_NEAR(found.back(), piece.residuals.largest, 1e-12);
      }
    }
    std::sort(found.begin(), found.end());
    covered += found.size();
    ASSERT_EQ(found.size(), static_cast<std::size_t>(piece.points));
    EXPECT_NEAR(found.back(), piece.residuals.largest, 1e-12);
    const auto within = [&](double bound) {
      return std::count_if(found.begin(), found.end(),
                           [&](double residual) { return residual <= bound + 1e-12; });
    };
    EXPECT_GE(within(piece.residuals.p90) * 10, 9 * static_cast<long>(found.size()));
    EXPECT_GE(within(piece.residuals.median) * 2, static_cast<long>(found.size()));
  }
  EXPECT_EQ(covered, points.size());
}

/// The least sum of squared relative residuals of a line through points [begin, end), by the normal
/// equations of a + b x = 1 with columns 1 / t and x / t.
long double least_cost(const std::vector<SizedTime>& points, std::size_t begin, std::size_t end) {
  long double aa = 0;
  long double ab = 0;
  long double bb = 0;
  long double a1 = 0;
  long double b1 = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const long double a = 1.0L / points[i].time.count();
    const long double b = a * static_cast<long double>(points[i].size.count());
    aa += a * a;
    ab += a * b;
    bb += b * b;
    a1 += a;
    b1 += b;
  }
  const long double determinant = aa * bb - ab * ab;
  const long double latency = (a1 * bb - b1 * ab) / determinant;
  const long double slope = (b1 * aa - a1 * ab) / determinant;
  return static_cast<long double>(end - begin) - latency * a1 - slope * b1;
}

TEST(PiecewiseFit, NoOtherSplitInTwoIsBetter) {
  const std::vector<TrueLine> two{{0, 20e-6, 1e-9}, {65536, 90e-6, 1e-10}};
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const auto points = times_of(two, 0.03, seed);
    const auto pieces = fit_pieces(points);
    if (pieces.size() != 2) continue;
    const auto begin = static_cast<std::size_t>(pieces[0].points);
    const long double found =
        least_cost(points, 0, begin) + least_cost(points, begin, points.size());
    for (std::size_t other = 3; other + 3 <= points.size(); ++other) {
      EXPECT_LE(found,
                least_cost(points, 0, other) + least_cost(points, other, points.size()) + 1e-9L)
          << seed << ": " << other << " instead of " << begin;
    }
  }
  EXPECT_EQ(fit_pieces(times_of(two, 0.01, 3)).size(), 2U);
}

TEST(PiecewiseFit, CoefficientsAreNeverNegative) {
  // Times that fall with the size, and times that rise faster than in proportion to it.
  const std::vector<SizedTime> falling{
      {Bytes{1000}, Seconds{3e-5}}, {Bytes{2000}, Seconds{2e-5}}, {Bytes{4000}, Seconds{1e-5}}};
  const auto flat = fit_pieces(falling);
  ASSERT_EQ(flat.size(), 1U);
  EXPECT_EQ(flat[0].seconds_per_byte, 0.0);
  EXPECT_FALSE(flat[0].seconds_per_byte_error.has_value());
  EXPECT_GT(flat[0].latency.count(), 0.0);
  const std::vector<SizedTime> steep{
      {Bytes{1000}, Seconds{1e-5}}, {Bytes{2000}, Seconds{4e-5}}, {Bytes{3000}, Seconds{9e-5}}};
  const auto through_zero = fit_pieces(steep);
  EXPECT_EQ(through_zero[0].latency.count(), 0.0);
  EXPECT_FALSE(through_zero[0].latency_error.has_value());
  EXPECT_GT(through_zero[0].seconds_per_byte, 0.0);
}

TEST(PiecewiseFit, TwoSizesGiveALineWithoutErrors) {
  // 1 us + 1 ns a byte.
  const auto pieces = fit_pieces({{Bytes{1000}, Seconds{2e-6}}, {Bytes{3000}, Seconds{4e-6}}});
  ASSERT_EQ(pieces.size(), 1U);
  EXPECT_NEAR(pieces[0].latency.count(), 1e-6, 1e-15);
  EXPECT_NEAR(pieces[0].seconds_per_byte, 1e-9, 1e-18);
  EXPECT_FALSE(pieces[0].latency_error.has_value());
}

TEST(PiecewiseFit, ErrorsCoverTheTruthOfThreeQuartersOfNoisyLines) {
  // Twice the standard error holds the true bandwidth in 95 % of the cases if the noise is normal;
  // ours is uniform and the number of pieces is chosen: at least 15 of 20.
  int covered = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const LinePiece piece = fit_pieces(times_of({{0, 20e-6, 1e-10}}, 0.03, seed)).back();
    ASSERT_TRUE(piece.seconds_per_byte_error.has_value());
    if (std::abs(piece.seconds_per_byte - 1e-10) <= 2.0 * *piece.seconds_per_byte_error) ++covered;
  }
  EXPECT_GE(covered, 15);
}

}  // namespace
}  // namespace gradwire
