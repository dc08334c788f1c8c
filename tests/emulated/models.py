"""The models of the emulated cluster: sizes and times are ours, made to look like three kinds."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Layer:
    """A matrix and a vector of `rows`; `seconds` is its backward pass on the device."""
    rows: int
    columns: int
    seconds: float

    def shapes(self):
        return ((self.rows, self.columns), (self.rows,))


def _even():
    """As a transformer: equal layers."""
    return [Layer(512, 1024, 0.030) for _ in range(12)]


def _late():
    """As a residual network: most parameters at the end, whose gradients are ready first."""
    sizes = ((64, 147), (64, 576), (128, 576), (128, 1152), (256, 1152), (256, 2304),
             (512, 2304), (512, 4608), (512, 4608))
    return [Layer(rows, columns, 0.050) for rows, columns in sizes]


def _early():
    """As an embedding: most parameters at the start, whose gradients are ready last."""
    return [Layer(4000, 512, 0.020)] + [Layer(512, 512, 0.025) for _ in range(10)]


DEVICE_LIKE = {"even": _even(), "late": _late(), "early": _early()}


def ready_order(layers):
    """(shape, seconds since the one before) of each gradient in the order in which they are ready:
    the matrix and the vector of a layer together, the last layer first."""
    listed = []
    for layer in reversed(layers):
        matrix, vector = layer.shapes()
        listed += [(matrix, layer.seconds), (vector, 0.0)]
    return listed


def real_model(name):
    """A model that computes on one processor, and its input."""
    import torch  # pylint: disable=import-outside-toplevel

    if name == "real-mlp":
        layers = []
        for _ in range(6):
            layers += [torch.nn.Linear(1024, 1024), torch.nn.ReLU()]
        return torch.nn.Sequential(*layers), torch.randn(256, 1024)
    if name == "real-conv":
        widths = (3, 64, 128, 256, 512)
        layers = []
        for narrow, wide in zip(widths, widths[1:]):
            layers += [torch.nn.Conv2d(narrow, wide, 3, stride=2, padding=1), torch.nn.ReLU()]
        return (torch.nn.Sequential(*layers, torch.nn.Flatten(), torch.nn.Linear(512 * 16, 512)),
                torch.randn(16, 3, 64, 64))
    raise ValueError(name)


REAL = ("real-mlp", "real-conv")
