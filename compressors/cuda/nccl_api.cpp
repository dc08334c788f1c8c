#include "compressors/cuda/nccl_api.hpp"

#include <dlfcn.h>

#include "base/errors.hpp"

namespace gradwire {
namespace {

template <class Function>
void load(void* library, const std::string& path, const char* name, Function*& to) {
  to = reinterpret_cast<Function*>(dlsym(library, name));
  if (to == nullptr) throw EnvironmentError("NCCL: " + path + " has no " + name);
}

}  // namespace

NcclApi load_nccl(const std::string& library) {
  void* loaded = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) {
    const char* reason = dlerror();
    throw EnvironmentError("NCCL cannot be loaded: " +
                           (reason == nullptr ? library : std::string{reason}));
  }
  NcclApi api{};
  load(loaded, library, "ncclGetVersion", api.get_version);
  load(loaded, library, "ncclGetErrorString", api.get_error_string);
  load(loaded, library, "ncclGetUniqueId", api.get_unique_id);
  load(loaded, library, "ncclCommInitRank", api.init_rank);
  load(loaded, library, "ncclCommInitAll", api.init_all);
  load(loaded, library, "ncclCommDestroy", api.destroy);
  load(loaded, library, "ncclGroupStart", api.group_start);
  load(loaded, library, "ncclGroupEnd", api.group_end);
  load(loaded, library, "ncclAllReduce", api.all_reduce);
  load(loaded, library, "ncclAllGather", api.all_gather);
  return api;
}

}  // namespace gradwire
