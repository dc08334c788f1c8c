"""What stands for a GPU: work on it takes its time and no processor.

A clock, not a chain of sleeps: work ends at the sum of what was put on the device, so a thread that
wakes a little late, or copies a bucket meanwhile, does not make the device slower.
"""

import time

import torch


def sleep_until(moment):
    left = moment - time.monotonic()
    if left > 0:
        time.sleep(left)


class Device:
    """One stream. Times in seconds of time.monotonic()."""

    def __init__(self, slowness=1.0):
        self.slowness = slowness
        self._free = 0.0

    def start(self, moment):
        self._free = moment

    def work(self, seconds):
        """Returns when the device has done it, behind all that it was given before."""
        self._free += seconds * self.slowness
        sleep_until(self._free)

    def work_from_now(self, seconds):
        """The same for work that could not be put there before now."""
        self._free = max(self._free, time.monotonic())
        self.work(seconds)


class _Layer(torch.autograd.Function):
    @staticmethod
    def forward(context, x, device, seconds, *weights):
        context.device, context.seconds = device, seconds
        context.shapes = [weight.shape for weight in weights]
        return x.clone()

    @staticmethod
    def backward(context, gradient):
        context.device.work(context.seconds)
        return gradient, None, None, *(torch.zeros(shape) for shape in context.shapes)


class DeviceLikeModel(torch.nn.Module):
    """Layers of a matrix and a vector each, whose backward passes take their time on `device`."""

    def __init__(self, layers, device):
        super().__init__()
        self._device = device
        self._seconds = [layer.seconds for layer in layers]
        self.matrices = torch.nn.ParameterList(
            torch.nn.Parameter(torch.zeros(layer.rows, layer.columns)) for layer in layers)
        self.vectors = torch.nn.ParameterList(
            torch.nn.Parameter(torch.zeros(layer.rows)) for layer in layers)

    def forward(self, x):
        for matrix, vector, seconds in zip(self.matrices, self.vectors, self._seconds):
            x = _Layer.apply(x, self._device, seconds, matrix, vector)
        return x
