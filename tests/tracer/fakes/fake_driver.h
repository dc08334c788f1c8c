#pragma once

#include <stdint.h>

/* What the fake libcuda.so.1 offers beside the functions of cuda.h: calls of the CUDA runtime, which it stands for
 * too, and an ear for the fake libcupti. C, so that Python can use it by ctypes. */

#ifdef __cplusplus
extern "C" {
#endif

enum { FAKE_NOTHING = 0, FAKE_KERNEL = 1, FAKE_MEMCPY = 2, FAKE_MEMSET = 3, FAKE_WAIT = 4 };

/* A call of the runtime or of the driver and what it puts on the device. */
typedef struct FakeCall {
  int driver;            /* 1: the driver's, 0: the runtime's */
  uint32_t callback;     /* its CUPTI callback id: 211 cudaLaunchKernel, 505 __cudaLaunchKernel, ... */
  int operation;         /* FAKE_... */
  const char* name;      /* of a kernel, mangled */
  uint64_t bytes;        /* copied or set */
  uint64_t duration_ns;  /* on the device, each */
  uint32_t device;
  uint32_t stream;
  uint32_t graph;        /* 0: no graph */
  uint32_t nodes;        /* operations; 0 counts as 1 */
} FakeCall;

/* Plays `call` now: the device takes it up when its stream is free; FAKE_WAIT returns when it is. */
void fake_call(const FakeCall* call);

/* One thing that happened. operation FAKE_NOTHING: the call itself. */
typedef struct FakeEvent {
  FakeCall call;
  int operation;
  uint64_t start_ns; /* CLOCK_REALTIME */
  uint64_t end_ns;
  uint32_t correlation;
  uint64_t graph_node;
} FakeEvent;

typedef void (*FakeListener)(const FakeEvent* event);
void fake_listen(FakeListener listener);

#ifdef __cplusplus
}
#endif
