#!/usr/bin/env python3
"""Dumps the gradients of a few consecutive iterations of data-parallel training, one file a rank.

usage: make_gradients.py DIGITS.csv.gz FOLDER

Trains a small convolutional net on 8 x 8 images of handwritten digits as DistributedDataParallel
does: every iteration, each of the ranks takes its own batch through the same weights, and the
optimiser takes the average of their gradients. The ranks take turns in this one process, which
changes nothing about the gradients. Writes rank0.npy, ... (iterations x elements, float32) and
parameters.csv into FOLDER, and prints versions, losses and accuracies for provenance.md.

DIGITS.csv.gz: scikit-learn's sklearn/datasets/data/digits.csv.gz, 64 pixels (0 to 16) and the
digit a line. Needs PyTorch and NumPy.
"""

import gzip
import pathlib
import platform
import sys

import numpy
import torch
from torch import nn

SEED = 20210603
RANKS = 4
BATCH = 32  # images a rank
LEARNING_RATE = 0.05
MOMENTUM = 0.9
BEFORE = 33  # iterations, 3 passes over the images, before the first that is recorded
RECORDED = 8
AFTER = 69  # iterations, so that 10 passes are made in all
HELD_OUT = 360  # images that are only tested on


def read_digits(path):
    """Images (count x 1 x 8 x 8, 0 to 1) and digits."""
    with gzip.open(path, "rt", encoding="ascii") as file:
        table = numpy.loadtxt(file, delimiter=",", dtype=numpy.float32)
    images = torch.from_numpy(table[:, :64] / 16).reshape(-1, 1, 8, 8)
    return images, torch.from_numpy(table[:, 64].astype(numpy.int64))


def make_model():
    """Convolutions (4-D), linear layers (2-D), norms and biases (1-D)."""
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1, bias=False), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 10))


def accuracy(model, images, digits):
    model.eval()
    with torch.no_grad():
        right = (model(images).argmax(1) == digits).float().mean().item()
    model.train()
    return right


def batches(count):
    """Endless: the images of all ranks for one iteration, every pass in another order."""
    size = RANKS * BATCH
    while True:
        order = torch.randperm(count)
        for begin in range(0, count - size + 1, size):
            yield order[begin:begin + size]


def rank_gradient(model, images, digits):
    """One rank's gradient, all tensors one behind the other, and its loss."""
    model.zero_grad()
    loss = nn.functional.cross_entropy(model(images), digits)
    loss.backward()
    return torch.cat([p.grad.flatten() for p in model.parameters()]), loss.item()


def set_gradients(model, flat):
    parts = flat.split([p.numel() for p in model.parameters()])
    for parameter, part in zip(model.parameters(), parts):
        parameter.grad = part.reshape(parameter.shape).clone()


def train(model, images, digits):
    """Recorded gradients, RANKS lists of RECORDED; prints how the training goes."""
    training, held_out = slice(0, len(images) - HELD_OUT), slice(len(images) - HELD_OUT, None)
    optimiser = torch.optim.SGD(model.parameters(), lr=LEARNING_RATE, momentum=MOMENTUM)
    recorded = [[] for _ in range(RANKS)]
    source = batches(len(images) - HELD_OUT)
    for iteration in range(BEFORE + RECORDED + AFTER):
        if iteration in (BEFORE, BEFORE + RECORDED):
            print(f"before iteration {iteration}: accuracy on held-out images "
                  f"{accuracy(model, images[held_out], digits[held_out]):.4f}")
        chosen = next(source)
        gradients, losses = zip(*[rank_gradient(model, images[training][own], digits[training][own])
                                  for own in chosen.split(BATCH)])
        if BEFORE <= iteration < BEFORE + RECORDED:
            for rank, gradient in enumerate(gradients):
                recorded[rank].append(gradient.numpy().copy())
            print(f"iteration {iteration}: losses of the ranks "
                  + " ".join(f"{loss:.4f}" for loss in losses))
        set_gradients(model, torch.stack(gradients).mean(0))
        optimiser.step()
    print(f"after {BEFORE + RECORDED + AFTER} iterations: accuracy on held-out images "
          f"{accuracy(model, images[held_out], digits[held_out]):.4f}")
    return recorded


def write(folder, model, recorded):
    for rank, gradients in enumerate(recorded):
        numpy.save(folder / f"rank{rank}.npy", numpy.stack(gradients).astype("<f4"))
    with open(folder / "parameters.csv", "w", encoding="ascii") as file:
        print("parameter,shape,dtype", file=file)
        for name, parameter in model.named_parameters():
            print(name, "x".join(map(str, parameter.shape)), "float32", sep=",", file=file)


def main(arguments):
    if len(arguments) != 2:
        print(__doc__.splitlines()[2], file=sys.stderr)
        return 2
    print(f"Python {platform.python_version()}, PyTorch {torch.__version__}, "
          f"NumPy {numpy.__version__}, {platform.machine()}")
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    images, digits = read_digits(arguments[0])
    model = make_model()
    write(pathlib.Path(arguments[1]), model, train(model, images, digits))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
