"""Capture files (.gwc, traces/schema/capture.proto) made by hand, without the tracer.

A traced command of a test imports this module and writes one where the environment says.
"""

import os
import socket
import struct

ITERATION_BEGIN, ITERATION_END, BACKWARD_BEGIN, BACKWARD_END = 1, 2, 3, 4
LAUNCH_KERNEL = 211  # CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000
BASE_NS = 1_700_000_000_000_000_000


def _crc32c_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)  # RFC 3720, reflected
        table.append(byte)
    return table


_TABLE = _crc32c_table()


def crc32c(content):
    value = 0xFFFFFFFF
    for byte in content:
        value = _TABLE[(value ^ byte) & 0xFF] ^ value >> 8
    return value ^ 0xFFFFFFFF


def varint(value):
    out = b""
    while value >= 0x80:
        out += bytes((value & 0x7F | 0x80,))
        value >>= 7
    return out + bytes((value,))


def number(field, value):
    return varint(field << 3) + varint(value)


def signed(field, value):
    return number(field, value << 1 if value >= 0 else (-value << 1) - 1)


def content(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


class CaptureFile:
    """Fills one chunk; times are microseconds from the capture's begin, on one thread and stream."""

    def __init__(self, rank=None, process=None, facts=()):
        header = number(1, process or os.getpid()) + content(2, socket.gethostname())
        if rank is not None:
            header += number(3, rank)
        header += content(6, "python train.py")
        for name, value in facts:
            header += content(7, content(1, name) + content(2, value))
        self.chunk = content(1, header) + signed(2, BASE_NS)
        self.names = []
        self.correlation = 0
        self.tally = b""

    def mark(self, kind, at, value=0):
        self.chunk += content(6, number(2, 1) + signed(3, at * 1000) + number(4, kind) + number(5, value))

    def kernel(self, name, launched, start, end):
        """A kernel that runs from `start` to `end`, and the call that launched it."""
        if name not in self.names:
            self.names.append(name)
            self.chunk += content(3, name)
        self.correlation += 1
        self.chunk += content(4, number(2, self.names.index(name)) + signed(3, start * 1000)
                              + number(4, (end - start) * 1000) + number(7, 1) + number(8, 7)
                              + number(9, self.correlation))
        self.chunk += content(5, number(1, LAUNCH_KERNEL) + signed(3, launched * 1000) + number(4, 1000)
                              + number(5, 1) + number(6, self.correlation))

    def drop(self, records):
        self.tally += number(4, records)

    def train(self, iterations=4, length=10_000, kernels=True):
        """Marked iterations, each a forward and two backward kernels."""
        for i in range(iterations):
            at = i * length
            self.mark(ITERATION_BEGIN, at, i)
            if kernels:
                self.kernel("forward", at + 10, at + 100, at + 1000)
            self.mark(BACKWARD_BEGIN, at + 20)
            if kernels:
                self.kernel("backward_b", at + 30, at + 1000, at + 2000)
                self.kernel("backward_a", at + 40, at + 2000, at + 4000)
            self.mark(BACKWARD_END, at + 50)
            self.mark(ITERATION_END, at + length - 10, i)
        return self

    def write(self, name, closed=True):
        """Into the file that the tracer's library would choose, but for `name`."""
        chunk = self.chunk + content(9, self.tally)
        if closed:
            chunk += number(10, 1)
        with open(f"{os.environ['GRADWIRE_CAPTURE']}.{name}.gwc", "xb") as file:
            file.write(b"\x89GWC\r\n\x1a\n" + struct.pack("<I", 1))
            file.write(struct.pack("<II", len(chunk), crc32c(chunk)) + chunk)
