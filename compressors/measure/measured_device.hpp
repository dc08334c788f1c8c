#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "compressors/cost/measuring_context.hpp"
#include "compressors/spec/scheme.hpp"

namespace gradwire {

/// What one exchange took a rank beside its collectives.
struct EncodeDecodeTime {
  Seconds encode{0};  ///< all that is done before the last collective: between two of them too
  Seconds decode{0};  ///< all that is done behind it

  bool operator==(const EncodeDecodeTime&) const = default;
};

/// A way in which a device computes the compressors.
struct MeasuredImplementation {
  std::string name;                  ///< "reference"
  std::string summary;               ///< for a profile: what was run, in one sentence
  std::vector<std::string> schemes;  ///< names without parameters, as parse_scheme knows them
};

/// What is measured: one rank's part in an exchange of tensors of these shapes among `ranks`.
struct MeasuredQuestion {
  std::string implementation;
  std::string scheme;  ///< with every parameter, as Scheme::spelling has it
  std::vector<TensorShape> shapes;
  int ranks = 1;
};

/// So many ranks, this one among them, have gradients and gathered messages of their own; the
/// others send the same again. With one message for all, a decode that adds selected elements would
/// meet the same ones in its caches again and again.
inline constexpr int kDistinctRanks = 4;

/// One rank's state (gradient, error memory, buffers), ready to take part in exchanges.
class MeasuredExchange {
 public:
  virtual ~MeasuredExchange() = default;

  /// Takes part in one exchange and says what it took. The collectives are not in it: their results
  /// are made while no time counts, all-gathers from `kDistinctRanks` (where one round carries the
  /// exchange), all-reduces as if all ranks had sent what this one sends.
  virtual EncodeDecodeTime run() = 0;
};

/// A machine on which encoding and decoding are timed: a CPU, a GPU, or in tests a scripted one.
class MeasuredDevice {
 public:
  virtual ~MeasuredDevice() = default;

  virtual const MeasuredMachine& machine() const = 0;

  /// At least one; the first is the default.
  virtual const std::vector<MeasuredImplementation>& implementations() const = 0;

  /// Memory that `make` and a run of its exchange need at most, about.
  virtual Bytes memory_for(const MeasuredQuestion& question) const = 0;

  /// Memory that is free now.
  virtual Bytes free_memory() const = 0;

  /// `question` is of an implementation and scheme of this device.
  virtual std::unique_ptr<MeasuredExchange> make(const MeasuredQuestion& question) = 0;
};

}  // namespace gradwire
