#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "compressors/cuda/device_runtime.hpp"

struct ncclComm;  // NOLINT(readability-identifier-naming): NCCL's name

namespace gradwire {

using NcclCommunicator = ncclComm*;

/// ncclUniqueId: what the ranks of a job share before they know each other.
struct NcclUniqueId {
  std::array<char, 128> bytes{};
};

// Values of nccl.h, the same since NCCL 2.10 (nccl_abi_check.cpp holds them to the header).
constexpr int kNcclSuccess = 0;
constexpr int kNcclSum = 0;
constexpr int kNcclUint8 = 1;
constexpr int kNcclInt32 = 2;
constexpr int kNcclInt64 = 4;
constexpr int kNcclFloat16 = 6;
constexpr int kNcclFloat32 = 7;
constexpr int kNcclBfloat16 = 9;

/// The functions of NCCL that are called, from a library that is loaded when it is needed: a build
/// needs no NCCL, and tests bring their own.
struct NcclApi {
  int (*get_version)(int* version);
  const char* (*get_error_string)(int result);
  int (*get_unique_id)(NcclUniqueId* id);
  int (*init_rank)(NcclCommunicator* communicator, int ranks, NcclUniqueId id, int rank);
  int (*init_all)(NcclCommunicator* communicators, int devices, const int* device_list);
  int (*destroy)(NcclCommunicator communicator);
  int (*group_start)();
  int (*group_end)();
  int (*all_reduce)(const void* from, void* to, std::size_t elements, int type, int operation,
                    NcclCommunicator communicator, Stream stream);
  int (*all_gather)(const void* from, void* to, std::size_t elements, int type,
                    NcclCommunicator communicator, Stream stream);
};

/// Loads `library` ("libnccl.so.2", or a path), for good. Throws EnvironmentError when it cannot be
/// loaded or lacks a function.
NcclApi load_nccl(const std::string& library = "libnccl.so.2");

}  // namespace gradwire
