#pragma once

#include <cstdint>

namespace gradwire {

/// What the launcher asked for by environment variables, as plain values; -1: not given.
struct CaptureOptions {
  const char* prefix = nullptr;  ///< $GRADWIRE_CAPTURE; null: no session by itself
  std::int64_t iterations = -1;  ///< $GRADWIRE_ITERATIONS
  std::int64_t skip = -1;        ///< $GRADWIRE_SKIP
  std::int64_t device = -1;      ///< $GRADWIRE_DEVICE; "all" is -1
  bool kernels = true;           ///< not $GRADWIRE_KERNELS=0
  std::int64_t rank = -1;        ///< $RANK, $OMPI_COMM_WORLD_RANK, $SLURM_PROCID
  std::int64_t world_size = -1;  ///< $WORLD_SIZE, $OMPI_COMM_WORLD_SIZE, $SLURM_NTASKS
  std::int64_t local_rank = -1;  ///< $LOCAL_RANK, $OMPI_COMM_WORLD_LOCAL_RANK, $SLURM_LOCALID
  bool cuda_injection = false;   ///< $CUDA_INJECTION64_PATH is set: cuInit will call us
};

/// As the environment is now. A value that is no number is one sentence on stderr and counts as not
/// given. The strings belong to the environment.
CaptureOptions read_capture_options();

}  // namespace gradwire
