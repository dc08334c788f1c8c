#pragma once

#include <memory>
#include <span>
#include <vector>

#include "compressors/cuda/device_compressor.hpp"
#include "compressors/cuda/transport.hpp"

namespace gradwire {

/// One rank of this process.
struct LocalRank {
  int device = 0;
  DeviceCompressorAndTransfers compressor;  ///< made on that device, for the transport's rank
  Transport* transport = nullptr;           ///< outlives the exchange
};

/// What a rank gives to one exchange.
struct LocalGradient {
  const float* gradient = nullptr;  ///< n elements on the rank's device, not written to
  float* averaged = nullptr;        ///< n elements
  Stream stream = nullptr;          ///< where the gradient is ready, and `averaged` will be
};

/// The exchanges of this process's ranks: one, or one a GPU. Encoding and decoding run on the
/// caller's stream, collectives on one of the exchange's own, so that whatever else the caller's
/// stream waits for does not hold them up; events keep the order. All collectives of a round are
/// one group. Waits for no device.
class DeviceExchange {
 public:
  explicit DeviceExchange(std::vector<LocalRank> ranks);
  ~DeviceExchange();
  DeviceExchange(const DeviceExchange&) = delete;
  DeviceExchange& operator=(const DeviceExchange&) = delete;

  /// One exchange; `gradients[i]` is that of the i-th rank. All ranks of the job call it equally
  /// often.
  void run(std::span<const LocalGradient> gradients);

  const DeviceCompressor& compressor(std::size_t rank) const;

 private:
  class Member;
  std::vector<std::unique_ptr<Member>> members_;
};

}  // namespace gradwire
