#pragma once

#include <stdint.h>

/* The C interface of libgradwire_tracer.so, for C, C++ (gradwire_marks.hpp) and Python (ctypes). Every
 * function may be called from any thread at any time, before a session and after it, and then does nothing;
 * none throws, waits for a device or ends the process. */

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of marks. `number` of gw_mark: the iteration for 1 and 2, the parameter for 5, else 0. */
enum {
  GW_ITERATION_BEGIN = 1,
  GW_ITERATION_END = 2,
  GW_BACKWARD_BEGIN = 3,
  GW_BACKWARD_END = 4,
  GW_GRADIENT_READY = 5, /* on the host; on the device it is ready with what this thread launched before */
  GW_OPTIMIZER_BEGIN = 6,
  GW_OPTIMIZER_END = 7,
  GW_FORWARD_BEGIN = 8,
  GW_FORWARD_END = 9
};

/* Starts recording this process into PREFIX.<host>.<rank>.<pid>.gwc; a null `prefix` stands for
 * $GRADWIRE_CAPTURE. 1 when a session is on afterwards, 0 when not (a sentence on stderr says why). */
int gw_start(const char* prefix);

/* Ends the session: what was recorded is in the file when this returns. */
void gw_stop(void);

/* The number of the session that is on, from 1 in each process; 0 while none. What a file must be told
 * once, a parameter's name above all, is told again when this changes. */
int gw_recording(void);

/* "This happens now on this thread." */
void gw_mark(int kind, uint64_t number);

/* Names parameter `number` before its first mark: `shape` has `dimensions` sizes, `dtype` is "float32",
 * "bfloat16", ... */
void gw_parameter(uint64_t number, const char* name, const int64_t* shape, uint32_t dimensions, const char* dtype);

/* A fact of the run for the reader: "pytorch" "2.6.0", "batch_size" "32", "marks" "pytorch hook". */
void gw_fact(const char* name, const char* value);

#ifdef __cplusplus
}
#endif
