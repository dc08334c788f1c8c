#include "tracer/capture/capture_options.hpp"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "tracer/capture/complain.hpp"

namespace gradwire {
namespace {

const char* given(const char* name) {
  const char* const text = std::getenv(name);
  return text != nullptr && *text != '\0' ? text : nullptr;
}

/// The whole of `text` as a number from 0 on. (strtoll would need a C library as new as the one
/// that this is built with.)
std::optional<std::int64_t> whole_number(const char* text) {
  const char* const end = text + std::strlen(text);
  std::int64_t value = 0;
  const auto [stopped, error] = std::from_chars(text, end, value);
  if (error != std::errc{} || stopped != end || value < 0) return std::nullopt;
  return value;
}

/// Our own variables: said when it is no number.
std::int64_t number(const char* name) {
  const char* const text = given(name);
  if (text == nullptr) return -1;
  if (const auto value = whole_number(text)) return *value;
  complain("%s is \"%s\"; a whole number from 0 is accepted, and it is taken as not set", name,
           text);
  return -1;
}

/// Of a job's starter: the first that is a number of 32 bits, silently.
std::int64_t first_number(const char* const (&names)[3]) {
  for (const char* const name : names) {
    const char* const text = given(name);
    if (text == nullptr) continue;
    const auto value = whole_number(text);
    if (value && *value <= INT32_MAX) return *value;
  }
  return -1;
}

}  // namespace

CaptureOptions read_capture_options() {
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
  return options;
}

}  // namespace gradwire
