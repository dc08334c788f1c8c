"""Two models and two optimisers in one loss; later one model is trained alone; LBFGS at the end."""
import torch
from torch import nn

from common import Net, batch, say_where

torch.manual_seed(5)
first, second = Net(), Net()
second.head = nn.Linear(5, 3, bias=False).double()
second.head.float()
optimizers = [torch.optim.SGD(first.parameters(), lr=0.1), torch.optim.Adam(second.parameters())]
x, y = batch()
for step in range(3):
    loss = nn.functional.cross_entropy(first(x) + second(x), y)
    loss.backward()
    for optimizer in optimizers:
        optimizer.step()
        optimizer.zero_grad()
last = torch.optim.LBFGS(first.head.parameters(), max_iter=2)


def closure():
    last.zero_grad()
    loss = nn.functional.cross_entropy(first(x), y)
    loss.backward()
    return loss


last.step(closure)
say_where(first, second)
