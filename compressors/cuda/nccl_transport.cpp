#include "compressors/cuda/nccl_transport.hpp"

#include <string>

#include "base/errors.hpp"

namespace gradwire {
namespace {

void check(const NcclApi& api, int result, const char* what) {
  if (result == kNcclSuccess) return;
  throw EnvironmentError(std::string{what} + ": NCCL: " + api.get_error_string(result));
}

int nccl_type(DType type) {
  switch (type) {
    case DType::kFloat32:
      return kNcclFloat32;
    case DType::kFloat16:
      return kNcclFloat16;
    case DType::kBfloat16:
      return kNcclBfloat16;
    case DType::kInt32:
      return kNcclInt32;
    case DType::kInt64:
      return kNcclInt64;
    case DType::kUint8:
      return kNcclUint8;
    default:
      GW_CHECK(false, "no message has this type");
      return kNcclUint8;
  }
}

}  // namespace

NcclTransport::NcclTransport(const NcclApi& api, NcclCommunicator communicator, int rank, int ranks)
    : api_(api), communicator_(communicator), rank_(rank), ranks_(ranks) {}

NcclTransport::NcclTransport(const NcclApi& api, const NcclUniqueId& id, int rank, int ranks)
    : NcclTransport(api, nullptr, rank, ranks) {
  check(api_, api_.init_rank(&communicator_, ranks, id, rank), "the ranks cannot be connected");
}

NcclTransport::~NcclTransport() {
  if (communicator_ != nullptr) static_cast<void>(api_.destroy(communicator_));
}

NcclUniqueId NcclTransport::make_id(const NcclApi& api) {
  NcclUniqueId id;
  check(api, api.get_unique_id(&id), "no id for the job");
  return id;
}

std::vector<std::unique_ptr<NcclTransport>> NcclTransport::all_in_process(
    const NcclApi& api, const std::vector<int>& devices) {
  const int ranks = static_cast<int>(devices.size());
  std::vector<NcclCommunicator> communicators(devices.size());
  check(api, api.init_all(communicators.data(), ranks, devices.data()),
        "the devices cannot be connected");
  std::vector<std::unique_ptr<NcclTransport>> transports;
  for (int rank = 0; rank < ranks; ++rank) {
    transports.emplace_back(
        new NcclTransport(api, communicators[static_cast<std::size_t>(rank)], rank, ranks));
  }
  return transports;
}

void NcclTransport::begin_group() { check(api_, api_.group_start(), "a group of collectives"); }
void NcclTransport::end_group() { check(api_, api_.group_end(), "a group of collectives"); }

void NcclTransport::all_reduce(void* data, DType type, std::int64_t elements, Stream stream) {
  check(api_,
        api_.all_reduce(data, data, static_cast<std::size_t>(elements), nccl_type(type), kNcclSum,
                        communicator_, stream),
        "all-reduce");
}

void NcclTransport::all_gather(void* gathered, DType type, std::int64_t elements, Stream stream) {
  const std::int64_t bytes = elements * element_size(type).value().count();
  const char* own = static_cast<const char*>(gathered) + rank_ * bytes;
  check(api_,
        api_.all_gather(own, gathered, static_cast<std::size_t>(elements), nccl_type(type),
                        communicator_, stream),
        "all-gather");
}

}  // namespace gradwire
