#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "compressors/cuda/device_compressor.hpp"
#include "compressors/spec/parameters.hpp"

namespace gradwire {

/// What a compressor's kernels are made for. `scheme` and `parameters` live during the call alone.
struct DeviceSetting {
  const Scheme& scheme;
  SchemeParameters& parameters;  ///< checked by the scheme already
  const std::vector<TensorShape>& shapes;
  std::vector<Transfer> transfers;  ///< of one exchange
  std::uint64_t seed;               ///< the same on all ranks
  int rank;
  int ranks;

  std::int64_t elements() const { return total_elements(shapes).count(); }
};

/// One scheme that has kernels. A new one is a file and a line in device_registry.cpp.
struct DeviceEntry {
  std::string_view scheme;  ///< its name in compressors/spec/registry.cpp
  std::unique_ptr<DeviceCompressor> (*fused)(const DeviceSetting& setting);
  std::unique_ptr<DeviceCompressor> (*study)(const DeviceSetting& setting);  ///< or null
};

const std::vector<DeviceEntry>& device_entries();

// One a scheme, each in the file of that name.
std::unique_ptr<DeviceCompressor> make_device_none(const DeviceSetting& setting);
std::unique_ptr<DeviceCompressor> make_device_fp16(const DeviceSetting& setting);
std::unique_ptr<DeviceCompressor> make_device_bf16(const DeviceSetting& setting);
std::unique_ptr<DeviceCompressor> make_device_powersgd(const DeviceSetting& setting);
std::unique_ptr<DeviceCompressor> make_device_signsgd(const DeviceSetting& setting);
std::unique_ptr<DeviceCompressor> make_device_ef_signsgd(const DeviceSetting& setting);
std::unique_ptr<DeviceCompressor> make_device_mstopk(const DeviceSetting& setting);
std::unique_ptr<DeviceCompressor> make_device_topk(const DeviceSetting& setting);
std::unique_ptr<DeviceCompressor> make_device_randomk(const DeviceSetting& setting);
std::unique_ptr<DeviceCompressor> make_device_qsgd(const DeviceSetting& setting);

// The study's, in study/.
std::unique_ptr<DeviceCompressor> make_study_powersgd(const DeviceSetting& setting);
std::unique_ptr<DeviceCompressor> make_study_signsgd(const DeviceSetting& setting);
std::unique_ptr<DeviceCompressor> make_study_mstopk(const DeviceSetting& setting);

}  // namespace gradwire
