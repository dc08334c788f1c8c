#pragma once

#include <cstdint>

namespace gradwire {

/// What one stage of an exchange asks of a rank's host thread and device.
struct PhaseWork {
  std::int64_t launches = 0;  ///< kernels that the host thread launches
  double dram_bytes = 0.0;    ///< bytes read from and written to device memory
  int host_syncs = 0;         ///< times the host thread waits for a result of the device

  PhaseWork operator+(const PhaseWork& other) const {
    return {launches + other.launches, dram_bytes + other.dram_bytes,
            host_syncs + other.host_syncs};
  }

  bool operator==(const PhaseWork&) const = default;
};

/// What one exchange asks of a rank, all tensors, without the collectives. Counted for the serial
/// implementation of the study (arXiv 2103.00543), from the structure of
/// github.com/uw-mad-dash/GradCompressionUtility as read; another implementation (fused kernels,
/// CUDA graphs) asks for less. Bytes are what the arrays hold: an access out of order, which moves
/// whole sectors, is counted as if it were in order.
struct DeviceWork {
  PhaseWork encode;   ///< before the first transfer
  PhaseWork decode;   ///< grows with the ranks where every rank's message is decoded
  PhaseWork between;  ///< needs all transfers but the last, and the last needs it
  /// Times that the published DDP hook makes the host wait for the device behind the decode, a
  /// bucket; a serial exchange has none of them.
  int hook_syncs = 0;

  /// What is done before the last transfer: what "encode" means where nothing overlaps.
  PhaseWork before_last_transfer() const { return encode + between; }

  std::int64_t launches() const { return encode.launches + between.launches + decode.launches; }
  bool operator==(const DeviceWork&) const = default;
};

}  // namespace gradwire
