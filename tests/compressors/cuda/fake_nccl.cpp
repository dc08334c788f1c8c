// A library with NCCL's functions for "devices" of host memory: ranks are threads, or communicators
// of one thread, and the last rank to come moves the bytes of all. What NCCL leaves to chance or
// hangs at is an error here: ranks that call different things, a rank that never comes.

#include "tests/compressors/cuda/fake_nccl.hpp"

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "compressors/cuda/nccl_api.hpp"
#include "compressors/reference/simulated_collective.hpp"

namespace {

using gradwire::DType;
using gradwire::NcclUniqueId;

constexpr int kInternalError = 3;
constexpr int kInvalidArgument = 4;
constexpr int kInvalidUsage = 5;
constexpr auto kPatience = std::chrono::seconds(60);

struct Operation {
  bool gathers = false;
  int type = 0;
  std::size_t elements = 0;
  const void* from = nullptr;
  void* to = nullptr;

  bool same_as(const Operation& other) const {
    return gathers == other.gathers && type == other.type && elements == other.elements;
  }
};

/// A collective that some ranks have come to.
struct Meeting {
  std::map<int, Operation> by_rank;
  int left = 0;  // ranks that have not seen the result
  int result = -1;
};

struct Job {
  int ranks = 0;
  int connected = 0;
  std::map<std::size_t, Meeting> meetings;  // by number of the collective
};

std::mutex mutex;
std::condition_variable changed;
std::map<std::string, std::shared_ptr<Job>> jobs;  // by unique id
std::vector<FakeNcclCall> calls;
int ids_made = 0;

}  // namespace

struct ncclComm {
  std::shared_ptr<Job> job;
  int rank = 0;
  std::size_t next = 0;  // number of its next collective
};

namespace {

thread_local int group_depth = 0;
thread_local std::vector<std::pair<ncclComm*, Operation>> grouped;

DType dtype_of(int type) {
  switch (type) {
    case gradwire::kNcclFloat32:
      return DType::kFloat32;
    case gradwire::kNcclFloat16:
      return DType::kFloat16;
    case gradwire::kNcclBfloat16:
      return DType::kBfloat16;
    case gradwire::kNcclInt32:
      return DType::kInt32;
    case gradwire::kNcclInt64:
      return DType::kInt64;
    default:
      return DType::kUint8;
  }
}

int move(Meeting& meeting) {
  const Operation& first = meeting.by_rank.at(0);
  const DType type = dtype_of(first.type);
  const std::size_t bytes =
      first.elements * static_cast<std::size_t>(gradwire::element_size(type).value().count());
  std::vector<gradwire::WireMessage> contributions;
  for (const auto& [rank, operation] : meeting.by_rank) {
    if (!operation.same_as(first)) return kInvalidArgument;
    const auto* from = static_cast<const std::byte*>(operation.from);
    contributions.push_back({type, {from, from + bytes}});
  }
  const gradwire::WireMessage result = gradwire::collective_result(
      first.gathers ? gradwire::CollectiveKind::kAllGather : gradwire::CollectiveKind::kAllReduce,
      contributions);
  for (const auto& [rank, operation] : meeting.by_rank) {
    std::memcpy(operation.to, result.bytes.data(), result.bytes.size());
  }
  return gradwire::kNcclSuccess;
}

/// First all operations are brought, then all are waited for: the ranks of one thread meet, too.
int perform(const std::vector<std::pair<ncclComm*, Operation>>& operations) {
  std::unique_lock lock(mutex);
  std::vector<std::pair<ncclComm*, std::size_t>> numbers;
  for (const auto& [communicator, operation] : operations) {
    Job& job = *communicator->job;
    const std::size_t number = communicator->next++;
    numbers.emplace_back(communicator, number);
    Meeting& meeting = job.meetings[number];
    meeting.by_rank[communicator->rank] = operation;
    if (static_cast<int>(meeting.by_rank.size()) == job.ranks) {
      meeting.result = move(meeting);
      meeting.left = job.ranks;
      changed.notify_all();
    }
  }
  int result = gradwire::kNcclSuccess;
  for (const auto& [communicator, number] : numbers) {
    auto& meetings = communicator->job->meetings;
    if (!changed.wait_for(lock, kPatience, [&] { return meetings[number].result >= 0; })) {
      return kInternalError;
    }
    if (meetings[number].result != gradwire::kNcclSuccess) result = meetings[number].result;
    if (--meetings[number].left == 0) meetings.erase(number);
  }
  return result;
}

int call(ncclComm* communicator, const Operation& operation, bool in_place, const void* stream) {
  if (communicator == nullptr || operation.from == nullptr) return kInvalidArgument;
  {
    const std::lock_guard lock(mutex);
    calls.push_back({communicator->rank, operation.gathers, group_depth > 0, in_place,
                     operation.type, operation.elements, stream});
  }
  if (group_depth > 0) {
    grouped.emplace_back(communicator, operation);
    return gradwire::kNcclSuccess;
  }
  return perform({{communicator, operation}});
}

}  // namespace

extern "C" {

int ncclGetVersion(int* version) {
  *version = 22809;
  return gradwire::kNcclSuccess;
}

const char* ncclGetErrorString(int result) {
  return result == kInvalidArgument ? "fake: the ranks call different things"
         : result == kInternalError ? "fake: a rank did not come"
                                    : "fake: wrong use";
}

int ncclGetUniqueId(NcclUniqueId* id) {
  const std::lock_guard lock(mutex);
  const std::string name = "job " + std::to_string(++ids_made);
  std::memcpy(id->bytes.data(), name.c_str(), name.size() + 1);
  return gradwire::kNcclSuccess;
}

int ncclCommInitRank(ncclComm** communicator, int ranks, NcclUniqueId id, int rank) {
  if (rank < 0 || rank >= ranks) return kInvalidArgument;
  std::unique_lock lock(mutex);
  std::shared_ptr<Job>& job = jobs[id.bytes.data()];
  if (job == nullptr) job = std::make_shared<Job>(Job{ranks, 0, {}});
  if (job->ranks != ranks) return kInvalidArgument;
  const std::shared_ptr<Job> own = job;
  ++own->connected;
  changed.notify_all();
  if (!changed.wait_for(lock, kPatience, [&] { return own->connected == own->ranks; })) {
    return kInternalError;
  }
  *communicator = new ncclComm{own, rank};
  return gradwire::kNcclSuccess;
}

int ncclCommInitAll(ncclComm** communicators, int devices, const int*) {
  const auto job = std::make_shared<Job>(Job{devices, devices, {}});
  for (int rank = 0; rank < devices; ++rank) communicators[rank] = new ncclComm{job, rank};
  return gradwire::kNcclSuccess;
}

int ncclCommDestroy(ncclComm* communicator) {
  delete communicator;
  return gradwire::kNcclSuccess;
}

int ncclGroupStart() {
  ++group_depth;
  return gradwire::kNcclSuccess;
}

int ncclGroupEnd() {
  if (group_depth == 0) return kInvalidUsage;
  if (--group_depth > 0) return gradwire::kNcclSuccess;
  return perform(std::exchange(grouped, {}));
}

int ncclAllReduce(const void* from, void* to, std::size_t elements, int type, int operation,
                  ncclComm* communicator, const void* stream) {
  if (operation != gradwire::kNcclSum) return kInvalidArgument;
  return call(communicator, {false, type, elements, from, to}, from == to, stream);
}

int ncclAllGather(const void* from, void* to, std::size_t elements, int type,
                  ncclComm* communicator, const void* stream) {
  const std::size_t bytes =
      elements * static_cast<std::size_t>(gradwire::element_size(dtype_of(type)).value().count());
  const char* place = static_cast<const char*>(to) +
                      (communicator == nullptr ? 0 : communicator->rank) * static_cast<long>(bytes);
  return call(communicator, {true, type, elements, from, to}, from == place, stream);
}

int fakeNcclTakeCalls(FakeNcclCall* to, int most) {
  const std::lock_guard lock(mutex);
  for (int i = 0; i < most && i < static_cast<int>(calls.size()); ++i) {
    to[i] = calls[static_cast<std::size_t>(i)];
  }
  return static_cast<int>(std::exchange(calls, {}).size());
}

}  // extern "C"
