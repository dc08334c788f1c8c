#pragma once

#include <dlfcn.h>
#include <limits.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracer/marks/gradwire_tracer.h"

/// For programs that gradwire traces: what they are doing now, said by the program itself. C++17,
/// nothing to link but (before glibc 2.34) -ldl. Without the tracer each call is a load and a
/// comparison. docs/tracing-marks.md.

namespace gradwire {

/// The functions of gradwire_tracer.h.
struct TracerFunctions {
  decltype(&gw_start) start = nullptr;
  decltype(&gw_stop) stop = nullptr;
  decltype(&gw_recording) recording = nullptr;
  decltype(&gw_mark) mark = nullptr;
  decltype(&gw_parameter) parameter = nullptr;
  decltype(&gw_fact) fact = nullptr;
};

/// The functions of libgradwire_tracer.so, found once in each process. Every member may be called
/// from any thread.
class TracerLibrary {
 public:
  /// All null when the process has no tracer: the library is not loaded and $GRADWIRE_TRACER_LIB
  /// does not name it.
  static const TracerFunctions& functions() {
    const TracerFunctions* const found = found_in_process.load(std::memory_order_acquire);
    return found != nullptr ? *found : find();
  }

  /// Loads the library: the one that is loaded, else `path` if it is not empty, else
  /// $GRADWIRE_TRACER_LIB, else libgradwire_tracer.so in the folder of the executable. True when
  /// the functions are there afterwards; else `why_not` is a sentence.
  static bool load(const std::string& path, std::string& why_not) {
    const std::lock_guard<std::mutex> lock(mutex());
    if (is_found() || take(RTLD_DEFAULT)) return true;
    const std::string wanted = !path.empty() ? path : default_path();
    void* const library = dlopen(wanted.c_str(), RTLD_LAZY | RTLD_GLOBAL);
    if (library == nullptr) {
      const char* const reason = dlerror();
      why_not = "the tracer library is not loaded: " + std::string(reason == nullptr ? "" : reason);
      return false;
    }
    if (take(library)) return true;
    why_not = "not a tracer library of this version: " + wanted;
    return false;
  }

  /// Where the loaded library lies; empty when it is not known.
  static std::string path() {
    Dl_info place = {};
    const auto* const start = reinterpret_cast<const void*>(functions().start);
    if (start == nullptr || dladdr(start, &place) == 0 || place.dli_fname == nullptr) return {};
    return place.dli_fname;
  }

 private:
  static const TracerFunctions& find() {
    const std::lock_guard<std::mutex> lock(mutex());
    if (is_found() || take(RTLD_DEFAULT)) return *found_in_process.load(std::memory_order_relaxed);
    const char* const path = std::getenv("GRADWIRE_TRACER_LIB");
    if (path != nullptr && *path != '\0') {
      void* const library = dlopen(path, RTLD_LAZY | RTLD_GLOBAL);
      if (library != nullptr && take(library))
        return *found_in_process.load(std::memory_order_relaxed);
      const char* const reason = library == nullptr ? dlerror() : "not a tracer library";
      std::fprintf(stderr, "gradwire: the program's marks are not recorded: %s\n",
                   reason == nullptr ? path : reason);
    }
    found_in_process.store(&kNone, std::memory_order_release);
    return kNone;
  }

  static bool is_found() {
    const TracerFunctions* const found = found_in_process.load(std::memory_order_relaxed);
    return found != nullptr && found != &kNone;
  }

  static bool take(void* library) {
    TracerFunctions all;
    const bool complete =
        symbol(library, "gw_start", all.start) && symbol(library, "gw_stop", all.stop) &&
        symbol(library, "gw_recording", all.recording) && symbol(library, "gw_mark", all.mark) &&
        symbol(library, "gw_parameter", all.parameter) && symbol(library, "gw_fact", all.fact);
    if (!complete) return false;
    loaded_functions = all;
    found_in_process.store(&loaded_functions, std::memory_order_release);
    all.fact("marks", "C++");
    return true;
  }

  template <typename Function>
  static bool symbol(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
  }

  static std::string default_path() {
    const char* const named = std::getenv("GRADWIRE_TRACER_LIB");
    if (named != nullptr && *named != '\0') return named;
    char executable[PATH_MAX];
    const ssize_t size = readlink("/proc/self/exe", executable, sizeof executable);
    const std::string_view whole(executable, size > 0 ? static_cast<std::size_t>(size) : 0);
    const std::size_t slash = whole.rfind('/');
    const std::string_view folder = slash == whole.npos ? "" : whole.substr(0, slash + 1);
    return std::string(folder) + "libgradwire_tracer.so";
  }

  static std::mutex& mutex() {
    static auto& the_mutex = *new std::mutex;  // never destroyed: marks may come at the very end
    return the_mutex;
  }

  inline static const TracerFunctions kNone{};
  inline static TracerFunctions loaded_functions{};
  inline static std::atomic<const TracerFunctions*> found_in_process{nullptr};
};

/// "This happens now on this thread": a kind of gradwire_tracer.h and what it numbers.
inline void mark(int kind, std::uint64_t number = 0) {
  const TracerFunctions& tracer = TracerLibrary::functions();
  if (tracer.mark != nullptr) tracer.mark(kind, number);
}

/// Marks the beginning where it is made and the end where it goes out of scope.
template <int BeginKind, int EndKind>
class MarkScope {
 public:
  explicit MarkScope(std::uint64_t number = 0) : number_(number) { mark(BeginKind, number_); }
  ~MarkScope() { mark(EndKind, number_); }
  MarkScope(const MarkScope&) = delete;
  MarkScope& operator=(const MarkScope&) = delete;

 private:
  std::uint64_t number_;
};

/// One iteration of the training; its number counts from 0.
using IterationScope = MarkScope<GW_ITERATION_BEGIN, GW_ITERATION_END>;
using ForwardScope = MarkScope<GW_FORWARD_BEGIN, GW_FORWARD_END>;
using BackwardScope = MarkScope<GW_BACKWARD_BEGIN, GW_BACKWARD_END>;
using OptimizerScope = MarkScope<GW_OPTIMIZER_BEGIN, GW_OPTIMIZER_END>;

/// A parameter of the model whose gradients are marked. Copies are the same parameter.
class MarkedParameter {
 public:
  /// `shape`: sizes, in elements. `dtype`: "float32", "bfloat16", "float16", ...
  MarkedParameter(std::string name, std::vector<std::int64_t> shape, std::string dtype = "float32")
      : number_(next_number.fetch_add(1, std::memory_order_relaxed)),
        name_(std::move(name)),
        shape_(std::move(shape)),
        dtype_(std::move(dtype)) {}
  MarkedParameter(const MarkedParameter& other)
      : number_(other.number_), name_(other.name_), shape_(other.shape_), dtype_(other.dtype_) {}
  MarkedParameter& operator=(const MarkedParameter&) = delete;

  /// The kernels that this thread has launched so far complete its gradient.
  void gradient_ready() const {
    const TracerFunctions& tracer = TracerLibrary::functions();
    if (tracer.mark == nullptr) return;
    const int session = tracer.recording();
    if (session == 0) return;
    if (named_in_.exchange(session, std::memory_order_relaxed) != session) {
      tracer.parameter(number_, name_.c_str(), shape_.data(),
                       static_cast<std::uint32_t>(shape_.size()), dtype_.c_str());
    }
    tracer.mark(GW_GRADIENT_READY, number_);
  }

 private:
  inline static std::atomic<std::uint64_t> next_number{0};

  std::uint64_t number_;
  std::string name_;
  std::vector<std::int64_t> shape_;
  std::string dtype_;
  mutable std::atomic<int> named_in_{0};  ///< the session whose file has the name
};

inline void gradient_ready(const MarkedParameter& parameter) { parameter.gradient_ready(); }

/// For programs without a place for a MarkedParameter: finds it by `name`, and makes it at the
/// first mark that is recorded.
inline void gradient_ready(std::string_view name, std::int64_t elements,
                           std::string_view dtype = "float32") {
  const TracerFunctions& tracer = TracerLibrary::functions();
  if (tracer.mark == nullptr || tracer.recording() == 0) return;
  using Parameters = std::map<std::string, MarkedParameter, std::less<>>;
  static auto& parameters = *new Parameters;
  static auto& mutex = *new std::mutex;
  const MarkedParameter* parameter = nullptr;
  {
    const std::lock_guard<std::mutex> lock(mutex);
    auto found = parameters.find(name);
    if (found == parameters.end()) {
      found = parameters
                  .try_emplace(std::string(name), std::string(name),
                               std::vector<std::int64_t>{elements}, std::string(dtype))
                  .first;
    }
    parameter = &found->second;
  }
  parameter->gradient_ready();
}

/// A fact of the run for its trace, such as "batch_size" "32"; while a session is on.
inline void run_fact(const std::string& name, const std::string& value) {
  const TracerFunctions& tracer = TracerLibrary::functions();
  if (tracer.fact != nullptr) tracer.fact(name.c_str(), value.c_str());
}

}  // namespace gradwire
