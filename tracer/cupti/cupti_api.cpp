#include "tracer/cupti/cupti_api.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace gradwire {
namespace {

constexpr std::uint32_t kCuda13 = 13000;  // as cuDriverGetVersion counts
constexpr const char* kNames[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};
constexpr const char* kNamesForOldDriver[] = {"libcupti.so.12", "libcupti.so", "libcupti.so.13"};
constexpr const char* kToolkitFolders[] = {"extras/CUPTI/lib64", "lib64",
                                           "targets/x86_64-linux/lib", "lib"};

char sentence[1024];

/// Opens `name` in a folder of the toolkit at `root`.
void* open_in_toolkit(const char* root, const char* name) {
  for (const char* folder : kToolkitFolders) {
    char path[1024];
    std::snprintf(path, sizeof path, "%s/%s/%s", root, folder, name);
    if (void* library = dlopen(path, RTLD_NOW)) return library;
  }
  return nullptr;
}

}  // namespace

const char* CuptiApi::take(void* library) {
  const char* lacking = nullptr;
  missing_functions[0] = '\0';
// Members are assigned to. NOLINTBEGIN(bugprone-macro-parentheses)
#define GRADWIRE_MANDATORY(member, function)                              \
  member = reinterpret_cast<decltype(member)>(dlsym(library, #function)); \
  if (member == nullptr && lacking == nullptr) lacking = #function;
#define GRADWIRE_OPTIONAL(member, function)                                  \
  member = reinterpret_cast<decltype(member)>(dlsym(library, #function));    \
  if (member == nullptr) {                                                   \
    const std::size_t used = std::strlen(missing_functions);                 \
    std::snprintf(missing_functions + used, sizeof missing_functions - used, \
                  used == 0 ? "%s" : " %s", #function);                      \
  }
  GRADWIRE_CUPTI_FUNCTIONS(GRADWIRE_MANDATORY, GRADWIRE_OPTIONAL)
#undef GRADWIRE_MANDATORY
#undef GRADWIRE_OPTIONAL
  // NOLINTEND(bugprone-macro-parentheses)
  Dl_info place{};
  const char* file = "libcupti";
  if (get_version != nullptr && dladdr(reinterpret_cast<void*>(get_version), &place) != 0 &&
      place.dli_fname != nullptr) {
    file = place.dli_fname;
  }
  std::snprintf(path, sizeof path, "%s", file);
  if (lacking != nullptr) {
    std::snprintf(sentence, sizeof sentence, "%s has no function %s, so kernels are not recorded",
                  path, lacking);
    return sentence;
  }
  if (get_version(&version) != CUPTI_SUCCESS || !is_known_cupti(version)) {
    std::snprintf(sentence, sizeof sentence,
                  "%s is CUPTI version %u, whose records are not known: kernels are recorded with "
                  "CUPTI of CUDA 12 or 13, which GRADWIRE_CUPTI_LIB can name",
                  path, version);
    return sentence;
  }
  return nullptr;
}

const char* CuptiApi::load(std::uint32_t driver_version) {
  const char* chosen = std::getenv("GRADWIRE_CUPTI_LIB");
  if (chosen != nullptr && *chosen != '\0') {
    void* library = dlopen(chosen, RTLD_NOW);
    if (library != nullptr) return take(library);
    const char* reason = dlerror();
    std::snprintf(sentence, sizeof sentence,
                  "the libcupti that GRADWIRE_CUPTI_LIB names cannot be loaded (%s), so kernels "
                  "are not recorded",
                  reason != nullptr ? reason : chosen);
    return sentence;
  }
  const bool old_driver = driver_version != 0 && driver_version < kCuda13;
  const auto& names = old_driver ? kNamesForOldDriver : kNames;
  for (const char* name : names) {
    if (void* library = dlopen(name, RTLD_NOW | RTLD_NOLOAD)) return take(library);
  }
  for (const char* name : names) {
    if (void* library = dlopen(name, RTLD_NOW)) return take(library);
  }
  const char* home = std::getenv("CUDA_HOME");
  const char* const roots[] = {home, "/usr/local/cuda"};
  for (const char* root : roots) {
    if (root == nullptr || *root == '\0') continue;
    for (const char* name : names) {
      if (void* library = open_in_toolkit(root, name)) return take(library);
    }
  }
  return "no libcupti was found (libcupti.so.13 or .12), so kernels are not recorded: put the "
         "folder "
         "that has it on LD_LIBRARY_PATH, or name the file in GRADWIRE_CUPTI_LIB";
}

}  // namespace gradwire
