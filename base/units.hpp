#pragma once

#include <chrono>
#include <cmath>
#include <compare>
#include <cstdint>

namespace gradwire {

/// Recorded time: integer nanoseconds.
using Nanoseconds = std::chrono::nanoseconds;

/// Computed time: seconds as a double.
using Seconds = std::chrono::duration<double>;

/// `time` rounded to the nearest nanosecond.
inline Nanoseconds to_nanoseconds(Seconds time) {
  return Nanoseconds{std::llround(time.count() * 1e9)};
}

/// An int64 count that only mixes with counts of the same kind. Negative values mean a difference.
template <class Tag>
class Count {
 public:
  constexpr Count() = default;
  constexpr explicit Count(std::int64_t value) : value_(value) {}

  constexpr std::int64_t count() const { return value_; }

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the 0 inside a defaulted <=> for one
  constexpr auto operator<=>(const Count&) const = default;
  constexpr Count operator+(Count other) const { return Count{value_ + other.value_}; }
  constexpr Count operator-(Count other) const { return Count{value_ - other.value_}; }
  constexpr Count& operator+=(Count other) {
    value_ += other.value_;
    return *this;
  }
  constexpr Count operator*(std::int64_t factor) const { return Count{value_ * factor}; }

 private:
  std::int64_t value_ = 0;
};

using Bytes = Count<struct BytesTag>;
using Elements = Count<struct ElementsTag>;

/// Size of a buffer of `elements`, each `element_size` long.
constexpr Bytes operator*(Elements elements, Bytes element_size) {
  return Bytes{elements.count() * element_size.count()};
}

/// `numerator / denominator` rounded up. Requires numerator >= 0 and denominator > 0.
constexpr std::int64_t ceil_divide(std::int64_t numerator, std::int64_t denominator) {
  return numerator / denominator + (numerator % denominator != 0 ? 1 : 0);
}

/// Link speed in bits per second (10 Gbps = 1e10). The factor 8 between bits and bytes lives here
/// alone.
class BitsPerSecond {
 public:
  constexpr BitsPerSecond() = default;
  constexpr explicit BitsPerSecond(double value) : value_(value) {}
  static constexpr BitsPerSecond from_bytes_per_second(double value) {
    return BitsPerSecond{value * 8.0};
  }

  constexpr double count() const { return value_; }
  constexpr double bytes_per_second() const { return value_ / 8.0; }
  /// Seconds that one byte occupies the link.
  constexpr double seconds_per_byte() const { return 8.0 / value_; }

  constexpr auto operator<=>(const BitsPerSecond&) const = default;
  constexpr BitsPerSecond operator*(double factor) const { return BitsPerSecond{value_ * factor}; }

 private:
  double value_ = 0.0;
};

/// Time that `bytes` occupy a link of this speed.
constexpr Seconds operator/(Bytes bytes, BitsPerSecond speed) {
  return Seconds{static_cast<double>(bytes.count()) * speed.seconds_per_byte()};
}

/// Index of a process in the job, 0 .. workers-1.
enum class Rank : std::int32_t {};
constexpr std::int32_t index_of(Rank rank) { return static_cast<std::int32_t>(rank); }

/// A device stream as the trace numbers it.
enum class StreamId : std::int32_t {};
constexpr std::int32_t index_of(StreamId stream) { return static_cast<std::int32_t>(stream); }

/// Position of a DDP bucket in launch order, from 0.
enum class BucketId : std::int32_t {};
constexpr std::int32_t index_of(BucketId bucket) { return static_cast<std::int32_t>(bucket); }

}  // namespace gradwire
