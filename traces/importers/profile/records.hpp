#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "traces/model/trace.hpp"

namespace gradwire {

/// What one pass over a profiler's file keeps, whatever its format: the few kinds of event that
/// matter, in the order of the file, with times as the file counts them.

struct ThreadKey {
  std::int64_t process = 0;
  std::int64_t thread = 0;

  auto operator<=>(const ThreadKey&) const = default;
};

/// An event of the host: when, and on which thread.
struct HostSpan {
  ThreadKey thread;
  Nanoseconds start{0};
  Nanoseconds end{0};
};

/// What an event says about a communication.
struct CommunicationArgs {
  std::string collective;  ///< as the file spells it; empty when it does not tell
  std::optional<std::int64_t> in_elements;
  std::optional<std::int64_t> out_elements;
  /// Of the message that NCCL was asked to move, where elements are not told: what a rank gives,
  /// of a reduce-scatter what it gets.
  std::optional<std::int64_t> bytes;
  DType dtype = DType::kUnknown;
  std::optional<std::int32_t> group_size;
};

struct DeviceRecord {
  Kernel kernel;
  std::int32_t message = -1;  ///< index into ProfileRecords::messages; -1 when the event has none
};

/// A runtime or driver call.
struct CallRecord {
  HostSpan span;
  std::int64_t correlation = 0;
  std::uint32_t name = 0;  ///< index into ProfileRecords::call_names
};

/// A gradient becomes ready on the host: an AccumulateGrad operator or a mark of the program.
struct AccumulateRecord {
  HostSpan span;
  bool instant = false;  ///< a mark: ready on the device with what its thread launched before
  std::string parameter;
  bool has_dims = false;
  bool typed = false;  ///< a type stands beside the dims
  std::vector<std::int64_t> dims;
  DType dtype = DType::kUnknown;
};

struct CommunicationRecord {
  HostSpan span;
  CommunicationArgs message;
};

struct StepRecord {
  std::int64_t number = 0;
  HostSpan span;
  bool complete = true;  ///< both ends were seen
};

struct ProfileRecords {
  std::vector<std::string> kernel_names;
  std::vector<std::string> call_names;
  std::vector<DeviceRecord> device;
  std::vector<CommunicationArgs> messages;
  std::vector<CallRecord> calls;
  std::vector<AccumulateRecord> accumulates;           ///< torch::autograd::AccumulateGrad, marks
  std::string accumulates_are = "AccumulateGrad";      ///< for the user
  std::vector<HostSpan> evaluations;                   ///< autograd::engine::evaluate_function
  std::vector<HostSpan> compiled;                      ///< CompiledFunctionBackward
  std::vector<HostSpan> backward_windows;              ///< between the program's own marks
  std::vector<CommunicationRecord> communication_ops;  ///< record_param_comms
  std::vector<CommunicationRecord> annotations;        ///< "nccl:all_reduce" and its like
  std::vector<StepRecord> steps;                       ///< ProfilerStep#N, marks
  std::string steps_are = "profiler step marks";       ///< for the user
  std::map<std::string, std::uint64_t>
      sharding_marks;  ///< operators of FSDP, ZeRO, pipelines -> how many
  std::uint64_t host_events = 0;
  std::uint64_t legacy_host_events = 0;  ///< of PyTorch's own profiler before Kineto
  bool decimal_times = false;

  std::optional<std::int64_t> base_time_ns;  ///< baseTimeNanoseconds
  std::string schema_version;
  std::optional<std::int32_t> rank;
  std::optional<std::int32_t> world_size;
  std::optional<std::int64_t> batch_size;
  std::vector<DeviceFacts> devices;
  std::vector<Fact> software;
};

}  // namespace gradwire
