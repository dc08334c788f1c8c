"""The program catches its own errors in forward, backward and the optimiser, and goes on."""
import torch
from torch import nn

from common import Net, batch, say_where


class Refusing(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, gradient):
        raise ArithmeticError("no gradient")


class Odd(Net):
    refuse = False

    def forward(self, x):
        hidden = self.body(x)
        return self.head(Refusing.apply(hidden) if self.refuse else hidden)


class Moody(torch.optim.SGD):
    tired = False

    def step(self, closure=None):
        if self.tired:
            raise OverflowError("too large")
        return super().step(closure)


def train():
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()


torch.manual_seed(4)
model = Odd()
optimizer = Moody(model.parameters(), lr=0.1)
x, y = batch()
train()
for attempt in (lambda: model(x[:, :2]), lambda: model.body(x[:, :2]), lambda: setattr(model, "refuse", True),
                train, lambda: setattr(model, "refuse", False), lambda: setattr(optimizer, "tired", True),
                train, lambda: setattr(optimizer, "tired", False)):
    try:
        attempt()
    except (RuntimeError, ArithmeticError) as error:
        print(type(error).__name__)
train()
say_where(model)
raise SystemExit(7)
