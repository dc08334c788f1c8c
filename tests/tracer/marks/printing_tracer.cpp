// A tracer library that prints what it is told, so that a test sees every call of the header.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tracer/marks/gradwire_tracer.h"

namespace {

int sessions = 0;
int session = std::getenv("PRINTING_TRACER_ON") != nullptr ? ++sessions : 0;

}  // namespace

int gw_start(const char* prefix) {
  if (prefix != nullptr && std::strcmp(prefix, "refused") == 0) return 0;
  std::printf("start %s\n", prefix == nullptr ? "(null)" : prefix);
  if (session == 0) session = ++sessions;
  return 1;
}

void gw_stop(void) {
  std::printf("stop\n");
  session = 0;
}

int gw_recording(void) { return session; }

void gw_mark(int kind, uint64_t number) { std::printf("mark %d %" PRIu64 "\n", kind, number); }

void gw_parameter(uint64_t number, const char* name, const int64_t* shape, uint32_t dimensions,
                  const char* dtype) {
  std::printf("parameter %" PRIu64 " %s", number, name);
  for (uint32_t i = 0; i < dimensions; ++i) std::printf(" %" PRId64, shape[i]);
  std::printf(" %s\n", dtype);
}

void gw_fact(const char* name, const char* value) { std::printf("fact %s %s\n", name, value); }
