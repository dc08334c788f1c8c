// Compiled where NCCL's header is: what nccl_api.hpp says of it is what it says.

#include <nccl.h>

#include <type_traits>

#include "compressors/cuda/nccl_api.hpp"

namespace gradwire {

static_assert(std::is_same_v<NcclCommunicator, ncclComm_t>);
static_assert(std::is_same_v<Stream, cudaStream_t>);
static_assert(sizeof(NcclUniqueId) == sizeof(ncclUniqueId));
static_assert(sizeof(ncclResult_t) == sizeof(int) && sizeof(ncclDataType_t) == sizeof(int) &&
              sizeof(ncclRedOp_t) == sizeof(int));
static_assert(kNcclSuccess == ncclSuccess && kNcclSum == ncclSum);
static_assert(kNcclUint8 == ncclUint8 && kNcclInt32 == ncclInt32 && kNcclInt64 == ncclInt64);
static_assert(kNcclFloat16 == ncclFloat16 && kNcclFloat32 == ncclFloat32 &&
              kNcclBfloat16 == ncclBfloat16);

}  // namespace gradwire
