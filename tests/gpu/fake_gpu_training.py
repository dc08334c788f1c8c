#!/usr/bin/env python3
"""capture_profiles.py on a CPU whose operators also launch kernels of the fake driver.

For the tests, below `gradwire trace` and with the fakes (tests/tracer/fakes) in LD_LIBRARY_PATH: a
kernel when the outermost module has run and one for each gradient before it is accumulated.
Arguments are those of capture_profiles.py.
"""

import ctypes
import sys

import torch

import capture_profiles
import models

LAUNCH_CALLBACK = 211  # cudaLaunchKernel, CUpti_runtime_api_trace_cbid
FAKE_KERNEL = 1        # tests/tracer/fakes/fake_driver.h
KERNEL_NS = 20_000


class FakeCall(ctypes.Structure):
    """As fake_driver.h has it."""
    _fields_ = [("driver", ctypes.c_int), ("callback", ctypes.c_uint32), ("operation", ctypes.c_int),
                ("name", ctypes.c_char_p), ("bytes", ctypes.c_uint64), ("duration_ns", ctypes.c_uint64),
                ("device", ctypes.c_uint32), ("stream", ctypes.c_uint32), ("graph", ctypes.c_uint32),
                ("nodes", ctypes.c_uint32)]


def main(arguments):
    driver = ctypes.CDLL("libcuda.so.1")
    if driver.cuInit(0) != 0:
        print("fake_gpu_training: the driver that was found does not start", file=sys.stderr)
        return 3

    def launch(name):
        driver.fake_call(ctypes.byref(FakeCall(callback=LAUNCH_CALLBACK, operation=FAKE_KERNEL, name=name,
                                               duration_ns=KERNEL_NS, stream=7)))

    original = models.make_model

    def make_model(name):
        model = original(name)
        for parameter in model.parameters():
            parameter.register_hook(lambda gradient: launch(b"_Z8backwardv"))
        return model

    models.make_model = make_model
    outermost = tuple({models.ResNet, models.Bert})
    torch.nn.modules.module.register_module_forward_hook(
        lambda module, inputs, output: launch(b"_Z7forwardv") if isinstance(module, outermost) else None)
    return capture_profiles.main(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
