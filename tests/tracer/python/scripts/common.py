"""What the training scripts share: a small net, its data, and a text that says where training went."""
import hashlib

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 5), nn.ReLU(), nn.Linear(5, 5))
        self.head = nn.Linear(5, 3, bias=False)

    def forward(self, x):
        return self.head(self.body(x))


def batch(size=4):
    return torch.randn(size, 6), torch.randint(0, 3, (size,))


def say_where(*models):
    digest = hashlib.sha256()
    for model in models:
        for name, value in sorted(model.state_dict().items()):
            digest.update(name.encode() + value.numpy().tobytes())
    print(digest.hexdigest())
