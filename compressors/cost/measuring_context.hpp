#pragma once

#include <string>
#include <vector>

#include "base/units.hpp"

namespace gradwire {

enum class DeviceKind { kCpu, kGpu };

/// "CPU", "GPU".
const char* name_of(DeviceKind kind);

/// What was measured on, in the machine's own words.
struct MeasuredMachine {
  DeviceKind kind = DeviceKind::kCpu;
  std::string name;                   ///< "NVIDIA H200"; it becomes the profile's device pattern
  std::string clocks;                 ///< "SM 1980 MHz, memory 3201 MHz"; says so where unknown
  std::vector<std::string> software;  ///< "GNU 12.2.0 -O2", "Linux 6.1", a driver, a library

  bool operator==(const MeasuredMachine&) const = default;
};

/// On what and how the figures of a profile were measured.
struct MeasuringContext {
  MeasuredMachine machine;
  std::string implementation;  ///< of the compressors: "reference"
  std::string method;          ///< one sentence: what the figures are
  std::string date;            ///< "2026-12-02"
  /// What was asked for and not measured, one line each with its reason.
  std::vector<std::string> left_out;

  bool operator==(const MeasuringContext&) const = default;
};

/// Between what the samples of one measured figure lie.
struct MeasuredSpread {
  int samples = 0;
  Seconds encode_low{0};
  Seconds encode_high{0};
  Seconds decode_low{0};
  Seconds decode_high{0};

  bool operator==(const MeasuredSpread&) const = default;
};

}  // namespace gradwire
