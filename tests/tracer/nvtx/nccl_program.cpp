// Calls the real NCCL without a GPU: each call fails, and has pushed its NVTX range before. The
// argument is the path of libnccl.
#include <dlfcn.h>
#include <nccl.h>

#include <cstdio>

namespace {

template <typename Function>
Function* function_of(void* library, const char* name) {
  auto* const found = reinterpret_cast<Function*>(dlsym(library, name));
  if (found == nullptr) std::printf("no %s\n", name);
  return found;
}

}  // namespace

#define NCCL(name) function_of<decltype(name)>(library, #name)

int main(int count, char** arguments) {
  if (count < 2) return 1;
  void* const library = dlopen(arguments[1], RTLD_LAZY);
  if (library == nullptr) {
    std::printf("%s\n", dlerror());
    return 2;
  }
  int version = 0;
  NCCL(ncclGetVersion)(&version);
  std::printf("version %d\n", version);
  const auto say = [](const char* name, ncclResult_t result) {
    std::printf("%s %d\n", name, static_cast<int>(result));
  };
  // Counts are all different, and so are the sizes of their types.
  say("AllReduce",
      NCCL(ncclAllReduce)(nullptr, nullptr, 1024, ncclFloat, ncclSum, nullptr, nullptr));
  say("AllReduce",
      NCCL(ncclAllReduce)(nullptr, nullptr, 10, ncclBfloat16, ncclMax, nullptr, nullptr));
  say("AllGather", NCCL(ncclAllGather)(nullptr, nullptr, 100, ncclDouble, nullptr, nullptr));
  say("ReduceScatter",
      NCCL(ncclReduceScatter)(nullptr, nullptr, 200, ncclHalf, ncclAvg, nullptr, nullptr));
  say("Broadcast", NCCL(ncclBroadcast)(nullptr, nullptr, 300, ncclInt8, 3, nullptr, nullptr));
  say("Reduce", NCCL(ncclReduce)(nullptr, nullptr, 400, ncclInt64, ncclProd, 2, nullptr, nullptr));
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 28, 0)
  say("AlltoAll", NCCL(ncclAlltoAll)(nullptr, nullptr, 700, ncclHalf, nullptr, nullptr));
  say("Gather", NCCL(ncclGather)(nullptr, nullptr, 800, ncclFloat, 4, nullptr, nullptr));
  say("Scatter", NCCL(ncclScatter)(nullptr, nullptr, 900, ncclDouble, 5, nullptr, nullptr));
#endif
  say("GroupStart", NCCL(ncclGroupStart)());
  say("Send", NCCL(ncclSend)(nullptr, 500, ncclFloat, 1, nullptr, nullptr));
  say("Recv", NCCL(ncclRecv)(nullptr, 600, ncclFloat, 7, nullptr, nullptr));
  say("GroupEnd", NCCL(ncclGroupEnd)());
  return 0;
}
