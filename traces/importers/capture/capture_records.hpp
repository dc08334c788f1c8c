#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/units.hpp"

namespace gradwire {

/// The records of a capture file (traces/schema/capture.proto) as plain values. Times are
/// nanoseconds of CLOCK_REALTIME.

enum class CapturedWork : std::uint8_t { kKernel, kMemcpy, kMemcpyPeer, kMemset };

struct CapturedOperation {
  CapturedWork kind = CapturedWork::kKernel;
  std::uint32_t name = 0;  ///< index into the names of the whole file; of kernels
  Nanoseconds start{0};
  Nanoseconds duration{0};
  bool untimed = false;  ///< start and duration say nothing
  std::uint32_t device = 0;
  std::uint32_t context = 0;
  std::uint32_t stream = 0;
  std::uint32_t correlation = 0;
  std::array<std::uint32_t, 3> grid{};
  std::array<std::uint32_t, 3> block{};
  std::uint32_t registers = 0;             ///< a thread
  std::uint32_t static_shared_bytes = 0;   ///< a block
  std::uint32_t dynamic_shared_bytes = 0;  ///< a block
  std::uint32_t graph = 0;                 ///< 0: not launched by a CUDA graph
  std::uint64_t graph_node = 0;
  std::uint64_t bytes = 0;
  std::uint32_t copy_kind = 0;
};

/// A runtime or driver call that puts work on a device.
struct CapturedCall {
  std::uint32_t callback = 0;
  bool driver = false;
  Nanoseconds start{0};
  Nanoseconds duration{0};
  std::uint64_t thread = 0;
  std::uint32_t correlation = 0;
  std::int32_t result = 0;
};

enum class CapturedEventKind : std::uint8_t {
  kMark,
  kParameter,
  kFact,
  kNvtxMark,
  kNvtxPush,
  kNvtxPop,
  kNvtxStart,
  kNvtxEnd,
  kNvtxDomain,
  kNvtxString,
  kUnknown,  ///< of a later version
};

/// CapturedEvent::id of a mark, as tracer/marks/gradwire_tracer.h numbers them;
/// docs/formats/gwc.md.
namespace mark_kind {
inline constexpr std::uint64_t kIterationBegin = 1;
inline constexpr std::uint64_t kIterationEnd = 2;
inline constexpr std::uint64_t kBackwardBegin = 3;
inline constexpr std::uint64_t kBackwardEnd = 4;
inline constexpr std::uint64_t kGradientReady = 5;
}  // namespace mark_kind

/// What the traced program's own threads said.
struct CapturedEvent {
  CapturedEventKind kind = CapturedEventKind::kMark;
  std::uint64_t thread = 0;
  Nanoseconds time{0};
  std::uint64_t id = 0;
  std::uint64_t value = 0;
  std::uint64_t domain = 0;
  std::string text;
  std::uint64_t payload_kind = 0;
  std::string payload;
};

struct CapturedSpan {
  bool overhead = false;  ///< the tracer's own cost; else the host waited
  std::uint32_t detail = 0;
  Nanoseconds start{0};
  Nanoseconds duration{0};
  std::uint32_t stream = 0;
  std::uint32_t correlation = 0;
};

struct CapturedDevice {
  std::uint32_t index = 0;
  std::string name;
  std::uint32_t multiprocessors = 0;
  std::uint64_t memory_bytes = 0;
  std::uint32_t compute_major = 0;
  std::uint32_t compute_minor = 0;
};

struct CapturedTally {
  std::uint64_t operations = 0;
  std::uint64_t calls = 0;
  std::uint64_t events = 0;
  std::uint64_t dropped_records = 0;
  std::uint64_t dropped_events = 0;
  std::uint64_t unknown_records = 0;
  std::uint64_t lost_buffers = 0;
  std::uint64_t unreturned_buffers = 0;
  Nanoseconds realtime{0};
  Nanoseconds monotonic{0};
};

struct CapturedHead {
  std::int64_t process = 0;
  std::string host;
  std::optional<std::int32_t> rank;
  std::optional<std::int32_t> world_size;
  std::optional<std::int32_t> local_rank;
  std::string command;
  std::vector<std::pair<std::string, std::string>> facts;
  std::optional<std::int64_t> skip_iterations;
  std::optional<std::int64_t> keep_iterations;
};

/// One chunk of the file.
struct CapturedChunk {
  std::optional<CapturedHead> head;
  std::vector<std::string> names;  ///< mangled; they continue the table of the chunks before
  std::vector<CapturedOperation> operations;
  std::vector<CapturedCall> calls;
  std::vector<CapturedEvent> events;
  std::vector<CapturedSpan> spans;
  std::vector<CapturedDevice> devices;
  std::optional<CapturedTally> tally;
  bool closing = false;
};

}  // namespace gradwire
