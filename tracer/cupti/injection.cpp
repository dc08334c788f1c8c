#include "tracer/capture/session.hpp"

extern "C" {

/// What cuInit calls in the library that CUDA_INJECTION64_PATH names. Always 1: what fails here is
/// said on stderr and is no reason to fail a program's cuInit.
[[gnu::visibility("default")]] int InitializeInjection();  // NOLINT(readability-identifier-naming)
int InitializeInjection() {
  gradwire::driver_is_coming();
  return 1;
}

}  // extern "C"
