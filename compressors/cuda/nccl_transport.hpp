#pragma once

#include <memory>
#include <vector>

#include "compressors/cuda/nccl_api.hpp"
#include "compressors/cuda/transport.hpp"

namespace gradwire {

/// NCCL's collectives. All throw EnvironmentError with NCCL's own message.
class NcclTransport : public Transport {
 public:
  /// One rank of a job, in a process or thread of its own, on this thread's device; waits until all
  /// `ranks` have come. `id`: made by one rank (`make_id`) and brought to the others.
  NcclTransport(const NcclApi& api, const NcclUniqueId& id, int rank, int ranks);
  ~NcclTransport() override;
  NcclTransport(const NcclTransport&) = delete;
  NcclTransport& operator=(const NcclTransport&) = delete;

  static NcclUniqueId make_id(const NcclApi& api);

  /// All ranks of a job in this process, rank i on `devices[i]`. One thread drives them; every call
  /// is then in a group of all of them.
  static std::vector<std::unique_ptr<NcclTransport>> all_in_process(
      const NcclApi& api, const std::vector<int>& devices);

  int rank() const override { return rank_; }
  int ranks() const override { return ranks_; }
  void begin_group() override;
  void end_group() override;
  void all_reduce(void* data, DType type, std::int64_t elements, Stream stream) override;
  void all_gather(void* gathered, DType type, std::int64_t elements, Stream stream) override;

 private:
  NcclTransport(const NcclApi& api, NcclCommunicator communicator, int rank, int ranks);

  NcclApi api_;
  NcclCommunicator communicator_ = nullptr;
  int rank_;
  int ranks_;
};

}  // namespace gradwire
