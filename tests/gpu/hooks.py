"""PyTorch's own communication hooks, and the times of their encode and decode stages.

A hook is a chain of stages with a collective after each but the last. To time the stages alone,
`torch.distributed.all_reduce` is replaced, while the hook runs, by one that is finished at once
(with one rank that is also its result), so all stages run in order on the stream of the backward
pass. What comes before the last collective is encode, what comes after it is decode. The times
contain the gaps in which the GPU waits for the hook's launches, as they do in training.
"""

import contextlib
import statistics
import time

import torch
import torch.distributed as dist

START_POWERSGD_ITERATION = 2  # the least that PyTorch accepts: buckets are rebuilt before it


def available():
    """[(scheme, parameter, make() -> (state, hook))] of what this PyTorch has."""
    from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
    found = []
    for scheme in ("fp16", "bf16"):
        hook = getattr(default_hooks, f"{scheme}_compress_hook", None)
        if hook is not None:
            found.append((scheme, "", lambda hook=hook: (None, hook)))
    try:
        from torch.distributed.algorithms.ddp_comm_hooks import powerSGD_hook as module
    except ImportError:  # it needs numpy
        return found
    for scheme, name in (("powersgd", "powerSGD_hook"), ("powersgd-batched", "batched_powerSGD_hook")):
        hook = getattr(module, name, None)
        for rank in (4, 8, 16):
            if hook is not None:
                found.append((scheme, f"rank={rank}",
                              lambda hook=hook, rank=rank: (powersgd_state(module, rank), hook)))
    # Every scheme once before the further ranks, so that a short budget still sees all of them.
    return sorted(found, key=lambda entry: entry[1] not in ("", "rank=4"))


def powersgd_state(module, rank):
    accept_single_matrices(module)
    return module.PowerSGDState(process_group=None, matrix_approximation_rank=rank,
                                start_powerSGD_iter=START_POWERSGD_ITERATION)


def accept_single_matrices(module):
    """Since PyTorch 1.12 the batched hook fails on an assertion: it hands one matrix to a function
    that takes a stack of them. A stack of one (a view, so nothing is copied) mends it."""
    original = module._orthogonalize
    if getattr(original, "takes_single_matrices", False):
        return

    def orthogonalize(matrices, epsilon=0):
        original(matrices.unsqueeze(0) if matrices.dim() == 2 else matrices, epsilon)

    try:
        original(torch.eye(3, 2))  # a PyTorch whose function takes one matrix is left alone
    except AssertionError:
        orthogonalize.takes_single_matrices = True
        module._orthogonalize = orthogonalize


class Marks:
    """Points in time on the current stream of a device (CUDA events), or of the CPU."""

    def __init__(self, device):
        self._cuda = device.type == "cuda"

    def mark(self):
        if not self._cuda:
            return time.perf_counter_ns()
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def nanoseconds(self, first, second):
        """Only once the device has been synchronised."""
        if not self._cuda:
            return second - first
        return round(first.elapsed_time(second) * 1e6)


class FinishedFuture:
    """What a hook needs of the future of a collective that is already done."""

    def __init__(self, value):
        self._value = value

    def then(self, callback):
        return FinishedFuture(callback(self))

    def wait(self):
        return self._value

    def value(self):
        return self._value

    def done(self):
        return True


class FinishedWork:
    def __init__(self, tensor):
        self._tensor = tensor

    def get_future(self):
        return FinishedFuture([self._tensor])

    def wait(self, timeout=None):
        return True


@contextlib.contextmanager
def finished_collectives(on_call):
    """all_reduce does nothing but tell on_call, until the block ends."""
    original = dist.all_reduce

    def all_reduce(tensor, *_, async_op=False, **__):
        on_call()
        return FinishedWork(tensor) if async_op else None

    dist.all_reduce = all_reduce
    try:
        yield
    finally:
        dist.all_reduce = original


class StageTimer:
    """Wraps a hook for register_comm_hook and keeps the marks of each bucket of each iteration."""

    def __init__(self, hook, device):
        self._hook = hook
        self._device = device
        self._marks = Marks(device)
        self._seen = []

    def forget(self):
        """Drops what was seen so far (the warm-up)."""
        self._seen = []

    def as_hook(self):
        def timed_hook(state, bucket):
            elements = bucket.buffer().numel()
            tensors = len(bucket.parameters())
            marks = [self._marks.mark()]
            host_started = time.perf_counter_ns()
            with finished_collectives(lambda: marks.append(self._marks.mark())):
                value = self._hook(state, bucket).value()
            host_ns = time.perf_counter_ns() - host_started
            marks.append(self._marks.mark())
            self._seen.append((bucket.index(), elements, tensors, marks, host_ns))
            on_gpu = self._device.type == "cuda"
            result = torch.futures.Future(devices=[self._device]) if on_gpu else torch.futures.Future()
            result.set_result(value[0] if isinstance(value, (list, tuple)) else value)
            return result

        return timed_hook

    def entries(self):
        """Per bucket, medians over the iterations seen; the device must be synchronised."""
        buckets = {}
        for index, elements, tensors, marks, host_ns in self._seen:
            encode = self._marks.nanoseconds(marks[0], marks[-2])
            decode = self._marks.nanoseconds(marks[-2], marks[-1])
            buckets.setdefault((index, elements, tensors), []).append((encode, decode, host_ns))
        result = []
        for (index, elements, tensors), samples in sorted(buckets.items()):
            encode, decode, host = (round(statistics.median(column)) for column in zip(*samples))
            result.append({"bucket": index, "elements": elements, "tensors": tensors,
                           "encode_ns": encode, "decode_ns": decode, "host_ns": host,
                           "samples": len(samples)})
        return result


@contextlib.contextmanager
def one_rank(device, folder):
    """A process group of this process alone: nccl on a GPU, gloo on the CPU."""
    backend = "nccl" if device.type == "cuda" else "gloo"
    dist.init_process_group(backend, init_method=f"file://{folder}/rendezvous", rank=0, world_size=1)
    try:
        yield
    finally:
        dist.destroy_process_group()
