#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/dtype.hpp"
#include "compressors/cuda/device_runtime.hpp"
#include "compressors/spec/scheme.hpp"

namespace gradwire {

/// What a Reference computes, by kernels: the state of one rank in the memory of its device. The
/// messages are the reference's, bit by bit where only casts, signs, integer codes and single
/// additions are involved; each scheme's file says how near otherwise.
///
/// Buffers are made once. `encode` and `decode` only give work to the stream: they neither allocate
/// nor wait, so that they can be captured in a CUDA graph, and a replay draws new random numbers
/// (DeviceCompressor::waits_for_device says which ones break this). All pointers are to device
/// memory.
class DeviceCompressor {
 public:
  virtual ~DeviceCompressor() = default;

  /// As Reference::rounds.
  virtual int rounds() const { return 1; }

  /// The element types of the messages of `round`: the next of the scheme's transfers.
  virtual std::vector<DType> messages(int round) const = 0;

  /// Writes this rank's messages of `round` for `gradient` (n elements, float32, aligned to an
  /// element, the same buffer in all rounds and not written to).
  virtual void encode(int round, const float* gradient, std::span<void* const> messages,
                      Stream stream) = 0;

  /// Takes the collectives' results of `round` (sums, or all ranks' messages by rank) and writes
  /// what it can to `averaged` (n elements), which is complete after the last round.
  virtual void decode(int round, std::span<void* const> results, float* averaged,
                      Stream stream) = 0;

  /// Error memory: n elements of what this rank has not sent yet; null for a scheme without one.
  virtual const float* memory() const { return nullptr; }

  /// Whether the host waits for the device on the way.
  virtual bool waits_for_device() const { return false; }
};

/// How a scheme is made of kernels.
enum class KernelDesign {
  kFused,  ///< ours: few launches, each element read as few times as can be
  kStudy,  ///< as the code of the study launches them (arXiv 2103.00543, its repository of 2021)
};

struct DeviceCompressorAndTransfers {
  std::unique_ptr<DeviceCompressor> compressor;
  std::vector<Transfer> transfers;  ///< of one exchange; empty where n is 0
};

/// Rank `rank` of `ranks` on this thread's device, before the first exchange of tensors of these
/// shapes; `spelling` and `seed` as make_reference has them. Throws InputError for an unknown
/// scheme or parameter, a scheme without kernels of this design, or more than 2^32 - 1 elements.
DeviceCompressorAndTransfers make_device_compressor(std::string_view spelling,
                                                    const std::vector<TensorShape>& shapes,
                                                    std::uint64_t seed, int rank, int ranks,
                                                    KernelDesign design = KernelDesign::kFused);

}  // namespace gradwire
