"""One rank of the emulated cluster: takes orders as JSON lines, answers with JSON lines.

`rank.py RANK RANKS PORT`; it runs in its own network namespace. Orders: {"do": "setup", ...} makes the
model and its groups, {"do": "measure", ...} gives samples of one compression, {"do": "first", ...}
of first iterations; {"do": "alone", ...} times the model without communication, {"do": "probe", ...} TCP over the shaped links,
{"do": "all_reduce", ...} one collective, {"do": "second_job", ...} trains beside until told to stop.
"""

import json
import os
import socket
import sys
import threading
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from device import Device, DeviceLikeModel, sleep_until
from hook import CompressingHook, Compression
import links
import models

WARM_UP = 3  # the second rebuilds the buckets; the third is the first like all others
LEAD_S = 0.01
PROBE_PORT = 29701


class Rank:
    """What one process holds between orders."""

    def __init__(self, rank, ranks, port):
        self._rank, self._ranks = rank, ranks
        self._used = False
        self._plain = self._hooked = self._hook = self._group = self._device = self._order = None
        dist.init_process_group("gloo", init_method=f"tcp://{links.address(0)}:{port}", rank=rank,
                                world_size=ranks)

    def setup(self, order):
        """{"model", "ranks", "bucket_mib", "slow_rank", "slowness"}; all ranks take part in making
        the group, the first "ranks" of them train."""
        self._make_group(order["ranks"])
        if not self._used:
            return {}
        used = order["ranks"]
        self._order = order
        slow = order.get("slow_rank") == self._rank
        self._device = Device(order.get("slowness", 1.0) if slow else 1.0)
        self._plain, self._hooked = (self._wrapped(order) for _ in range(2))
        elements = sum(parameter.numel() for parameter in self._hooked.parameters())
        self._hook = CompressingHook(self._group, used, self._device, elements)
        self._hooked.register_comm_hook(None, self._hook.exchange)
        return {}

    def _wrapped(self, order):
        torch.manual_seed(1)
        if order["model"] in models.DEVICE_LIKE:
            model = DeviceLikeModel(models.DEVICE_LIKE[order["model"]], self._device)
            self._input = torch.ones(1, requires_grad=True)
        else:
            model, self._input = models.real_model(order["model"])
        return DistributedDataParallel(model, process_group=self._group,
                                       bucket_cap_mb=order["bucket_mib"])

    def _make_group(self, used):
        """All ranks take part; the first `used` of them are in it."""
        self._drop()
        self._group = dist.new_group(list(range(used)))
        self._used = self._rank < used

    def _drop(self):
        if self._hook is not None:
            self._hook.close()
        self._plain = self._hooked = self._hook = None
        if self._group is not None and self._used:
            dist.destroy_process_group(self._group)
        self._group = None

    def measure(self, order):
        """{"samples", "compression"}: start and end of each backward pass, on one clock."""
        if not self._used:
            return {}
        compression = order.get("compression")
        if compression is not None:
            self._hook.compression = Compression(**compression)
        model = self._plain if compression is None else self._hooked
        times = [self._iteration(model) for _ in range(WARM_UP + order["samples"])]
        return {"times": times[WARM_UP:]}

    def first(self, order):
        """{"samples"}: first iterations, with DDP's initial buckets, each of a new model."""
        if not self._used:
            return {}
        return {"times": [self._iteration(self._wrapped(self._order))
                          for _ in range(order["samples"])]}

    def _iteration(self, model):
        loss = model(self._input).sum()
        start = self._common_start()
        self._device.start(start)
        sleep_until(start)
        loss.backward()
        end = time.monotonic()
        model.zero_grad(set_to_none=True)
        return start, end

    def _common_start(self):
        dist.barrier(group=self._group)
        start = torch.tensor([time.monotonic() + LEAD_S], dtype=torch.float64)
        dist.broadcast(start, 0, group=self._group)
        return start.item()

    def second_job(self, order):
        """{"payload_bytes", "compute_s"}: computes and all-reduces until standard input says stop."""
        stop = threading.Event()
        threading.Thread(target=lambda: (sys.stdin.readline(), stop.set()), daemon=True).start()
        words = torch.zeros(order["payload_bytes"] // 4)
        turns = 0
        while True:
            time.sleep(order["compute_s"])
            words.zero_()
            words[0] = float(stop.is_set())
            dist.all_reduce(words)
            turns += 1
            if words[0] > 0:
                return {"turns": turns}

    def probe(self, order):
        """{"bytes"}: ranks 0 and 1 send each other so many over one connection a direction, as
        fast as TCP lets them; when the last had all, in seconds from the common start."""
        self._make_group(2)
        if not self._used:
            return {}
        server = socket.create_server(("", PROBE_PORT))
        dist.barrier(group=self._group)
        outward = socket.create_connection((links.address(1 - self._rank), PROBE_PORT))
        inward, _ = server.accept()
        start = self._common_start()
        sleep_until(start)
        sender = threading.Thread(target=outward.sendall, args=(bytes(order["bytes"]),))
        sender.start()
        left = order["bytes"]
        while left > 0:
            left -= len(inward.recv(2**20))
        end = time.monotonic()
        sender.join()
        for one in (outward, inward, server):
            one.close()
        return {"took_s": end - start}

    def all_reduce(self, order):
        """{"ranks", "words", "samples", "idle_s"}: one all-reduce at a time, after idle links."""
        self._make_group(order["ranks"])
        times = []
        buffer = torch.zeros(order["words"])
        for _ in range(WARM_UP + order["samples"] if self._used else 0):
            time.sleep(order["idle_s"])
            start = self._common_start()
            sleep_until(start)
            dist.all_reduce(buffer, group=self._group)
            times.append((start, time.monotonic()))
        return {"times": times[WARM_UP:]}


def ready_times(order):
    """{"model", "samples"}: without DDP, the median moments at which gradients are ready, in
    order, and the median length of the backward pass."""
    torch.manual_seed(1)
    device = Device()
    if order["model"] in models.DEVICE_LIKE:
        model = DeviceLikeModel(models.DEVICE_LIKE[order["model"]], device)
        example = torch.ones(1, requires_grad=True)
    else:
        model, example = models.real_model(order["model"])
    seen, nodes = [], []
    for name, parameter in model.named_parameters():
        node = parameter.expand_as(parameter).grad_fn.next_functions[0][0]
        node.register_hook(lambda *_, name=name: seen.append((name, time.monotonic())))
        nodes.append(node)  # alive, or the hook is gone
    passes, lengths = [], []
    for _ in range(WARM_UP + order["samples"]):
        loss = model(example).sum()
        seen.clear()
        start = time.monotonic()
        device.start(start)
        loss.backward()
        lengths.append(time.monotonic() - start)
        passes.append([(name, moment - start) for name, moment in seen])
        model.zero_grad(set_to_none=True)
    shapes = {name: list(parameter.shape) for name, parameter in model.named_parameters()}
    return {"shapes": shapes, "passes": passes[WARM_UP:], "lengths": lengths[WARM_UP:]}


def main():
    rank, ranks, port = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    os.environ["GLOO_SOCKET_IFNAME"] = "eth0"
    torch.set_num_threads(1)
    sys.stdin.readline()  # the links are up
    process = Rank(rank, ranks, port)
    print(json.dumps({"ready": rank}), flush=True)
    for line in iter(sys.stdin.readline, ""):
        order = json.loads(line)
        if order["do"] == "alone":
            answer = ready_times(order) if rank == 0 else {}
        else:
            answer = getattr(process, order["do"])(order)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
