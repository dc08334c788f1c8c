"""Parameters that are shared, frozen, thawed, replaced, sparse, or of no module; models that are
copied, pickled, traced and thrown away."""
import copy
import gc
import pickle
import weakref

import torch
from torch import nn

from common import say_where


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(7, 4, sparse=True)
        self.first, self.second = nn.Linear(4, 4), nn.Linear(4, 4)
        self.second.weight = self.first.weight
        self.head = nn.Linear(4, 2)
        self.first.bias.requires_grad_(False)

    def forward(self, x):
        return self.head(self.second(self.first(self.words(x).mean(1))))


def train(optimizer):
    optimizer.zero_grad()
    ((model(x) * scale)**2).sum().backward()
    optimizer.step()


torch.manual_seed(6)
model, scale = Words(), torch.ones(2, requires_grad=True)
x = torch.randint(0, 7, (3, 5))
sgd = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.1)
train(sgd)
before = sorted(model.__dict__)
model.first.bias.requires_grad_(True)
sgd.add_param_group({"params": [model.first.bias]})
train(sgd)
train(sgd)
model.head = nn.Linear(4, 2)
sgd = torch.optim.SGD(list(model.parameters()) + [scale], lr=0.1)
for _ in range(4):
    train(sgd)
print(sorted(model.__dict__) == before)
for twin in (copy.deepcopy(model), pickle.loads(pickle.dumps(model)), torch.jit.trace(model, x)):
    print(torch.equal(twin(x), model(x)))
say_where(model)
gone = weakref.ref(model.words.weight)
del model, twin, sgd
gc.collect()
print(gone() is None)
