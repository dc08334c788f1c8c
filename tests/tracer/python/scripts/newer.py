"""Training with the stub of a newer PyTorch: errors, nested and inner optimisers, compiling."""
import torch


def fail(*_, **__):
    raise ValueError("no")


def loss(*of):
    result = torch.Tensor()
    result.of = of
    return result


weight, bias = torch.Tensor(3, 2), torch.Tensor(3, dtype="torch.bfloat16")
inner = torch.nn.Module(lambda **_: loss(weight, bias), weight=weight, bias=bias)
model = torch.nn.Module(lambda **given: inner(**given), weight=weight, bias=bias)
optimizer = torch.optim.optimizer.Optimizer([weight, bias])
outer = torch.optim.optimizer.Optimizer([weight, bias], optimizer.step)


def train(net):
    net(x=[torch.Tensor(16, 3)]).backward()
    outer.step()


train(model)
inner.forward = fail
for attempt in (lambda: train(model), lambda: model.forward(x=1)):
    try:
        attempt()
    except ValueError as error:
        print(error)
inner.forward = lambda **_: loss(weight, bias)
outer.inner = fail
try:
    train(model)
except ValueError as error:
    print(error)
outer.inner = optimizer.step
train(model)
autoloss = loss(weight)
weight.hooks.append(lambda _: optimizer.step())  # an optimiser inside the backward pass
model()
autoloss.backward()
weight.hooks.pop()
torch.compiling = True
train(inner)
