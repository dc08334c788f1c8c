#include "tracer/capture/capture_options.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "tracer/capture/complain.hpp"

namespace gradwire {
namespace {

const char* given(const char* name) {
  const char* const text = std::getenv(name);
  return text != nullptr && *text != '\0' ? text : nullptr;
}

/// Our own variables: said when it is no number.
std::int64_t number(const char* name) {
  const char* const text = given(name);
  if (text == nullptr) return -1;
  char* end = nullptr;
  errno = 0;
  const long long value = std::strtoll(text, &end, 10);
  if (*end == '\0' && errno == 0 && value >= 0) return value;
  complain("%s is \"%s\"; a whole number from 0 is accepted, and it is taken as not set", name,
           text);
  return -1;
}

/// Of a job's starter: the first that is a number of 32 bits, silently.
std::int64_t first_number(const char* const (&names)[3]) {
  for (const char* const name : names) {
    const char* const text = given(name);
    if (text == nullptr) continue;
    char* end = nullptr;
    errno = 0;
    const long long value = std::strtoll(text, &end, 10);
    if (*end == '\0' && errno == 0 && value >= 0 && value <= INT32_MAX) return value;
  }
  return -1;
}

}  // namespace

CaptureOptions read_capture_options() {
  const int saved = errno;
  CaptureOptions options;
  options.prefix = given("GRADWIRE_CAPTURE");
  options.iterations = number("GRADWIRE_ITERATIONS");
  options.skip = number("GRADWIRE_SKIP");
  const char* const device = given("GRADWIRE_DEVICE");
  if (device != nullptr && std::strcmp(device, "all") != 0) {
    options.device = number("GRADWIRE_DEVICE");
  }
  const char* const kernels = given("GRADWIRE_KERNELS");
  options.kernels = kernels == nullptr || std::strcmp(kernels, "0") != 0;
  options.rank = first_number({"RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"});
  options.world_size = first_number({"WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS"});
  options.local_rank = first_number({"LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"});
  options.cuda_injection = given("CUDA_INJECTION64_PATH") != nullptr;
  errno = saved;
  return options;
}

}  // namespace gradwire
