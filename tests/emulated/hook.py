"""A DDP communication hook that compresses as a device would: its encoding and decoding take time
on the device and no processor, its collectives are real and carry the scheme's real bytes."""

import dataclasses
import math
import queue
import threading

import torch
import torch.distributed as dist

from device import Device
import wire


@dataclasses.dataclass
class Compression:
    """`encode_s` and `decode_s` are of all gradients; a bucket has its share by elements."""
    scheme: tuple
    encode_s: float
    decode_s: float
    overlapped: bool


class CompressingHook:
    """Collectives run one after the other, in the order of the buckets, in a thread of their own;
    decoding in another. Serial: one exchange of all gradients, once the last bucket is full."""

    def __init__(self, group, ranks, device, elements):
        self.compression = None
        self._group, self._ranks, self._device, self._elements = group, ranks, device, elements
        self._side = Device(device.slowness)
        self._buffers = {}
        self._full = []
        self._to_send, self._to_decode = queue.Queue(), queue.Queue()
        self._threads = [threading.Thread(target=self._send, daemon=True),
                         threading.Thread(target=self._decode, daemon=True)]
        for thread in self._threads:
            thread.start()

    def close(self):
        for jobs in (self._to_send, self._to_decode):
            jobs.put(None)
        for thread in self._threads:
            thread.join()

    def exchange(self, _, bucket):
        """A bucket is full: DDP's communication hook."""
        done = torch.futures.Future()
        shapes = [tuple(gradient.shape) for gradient in bucket.gradients()]
        self._full.append((done, bucket.buffer(), shapes))
        if self.compression.overlapped or bucket.is_last():
            exchanged, self._full = self._full, []
            elements = sum(math.prod(shape) for _, _, all in exchanged for shape in all)
            share = elements / self._elements
            self._device.work(self.compression.encode_s * share)
            self._to_send.put((exchanged, share))
        return done

    def _send(self):
        while (job := self._to_send.get()) is not None:
            exchanged, _ = job
            shapes = [shape for _, _, all in exchanged for shape in all]
            for number, one in enumerate(wire.collectives(self.compression.scheme, shapes)):
                self._run(one, number)
            self._to_decode.put(job)

    def _run(self, one, number):
        own = self._buffer((number, "own"), one.words)
        if one.kind == "all_reduce":
            dist.all_reduce(own, group=self._group)
            return
        dist.all_gather([self._buffer((number, rank), one.words) for rank in range(self._ranks)],
                        own, group=self._group)

    def _buffer(self, use, words):
        key = (use, words)
        if key not in self._buffers:
            self._buffers[key] = torch.zeros(words)
        return self._buffers[key]

    def _decode(self):
        while (job := self._to_decode.get()) is not None:
            exchanged, share = job
            self._side.work_from_now(self.compression.decode_s * share)
            for done, buffer, _ in exchanged:
                done.set_result(buffer)
