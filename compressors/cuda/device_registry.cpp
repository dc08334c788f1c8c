#include "compressors/cuda/device_registry.hpp"

#include <fmt/format.h>

#include <limits>

#include "base/errors.hpp"
#include "compressors/spec/registry.hpp"

namespace gradwire {

const std::vector<DeviceEntry>& device_entries() {
  static const std::vector<DeviceEntry> kEntries = {
      {"none", make_device_none, nullptr},
      {"fp16", make_device_fp16, nullptr},
      {"bf16", make_device_bf16, nullptr},
      {"powersgd", make_device_powersgd, make_study_powersgd},
      {"signsgd", make_device_signsgd, make_study_signsgd},
      {"ef-signsgd", make_device_ef_signsgd, nullptr},
      {"mstopk", make_device_mstopk, make_study_mstopk},
      {"topk", make_device_topk, nullptr},
      {"randomk", make_device_randomk, nullptr},
      {"qsgd", make_device_qsgd, nullptr},
  };
  return kEntries;
}

DeviceCompressorAndTransfers make_device_compressor(std::string_view spelling,
                                                    const std::vector<TensorShape>& shapes,
                                                    std::uint64_t seed, int rank, int ranks,
                                                    KernelDesign design) {
  NamedScheme named = parse_named_scheme(spelling);
  const DeviceSetting setting{
      *named.scheme, named.parameters, shapes, named.scheme->transfers(shapes), seed, rank, ranks};
  if (setting.elements() > std::numeric_limits<std::uint32_t>::max()) {
    throw InputError(
        fmt::format("compressor: {} elements in one exchange; its kernels take up to "
                    "2^32 - 1",
                    setting.elements()));
  }
  for (const DeviceEntry& entry : device_entries()) {
    if (entry.scheme != named.name) continue;
    if (design == KernelDesign::kFused) return {entry.fused(setting), setting.transfers};
    if (entry.study == nullptr) {
      throw InputError(fmt::format("compressor: the study has no kernels of \"{}\"", named.name));
    }
    return {entry.study(setting), setting.transfers};
  }
  throw InputError(fmt::format("compressor: \"{}\" has no kernels", named.name));
}

}  // namespace gradwire
