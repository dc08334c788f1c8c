"""Activation checkpointing of both kinds runs forward, and one of them backward, inside backward."""
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from common import batch, say_where


class Checkpointed(nn.Module):
    def __init__(self, reentrant):
        super().__init__()
        self.first, self.second, self.reentrant = nn.Linear(6, 5), nn.Linear(5, 3), reentrant

    def forward(self, x):
        hidden = checkpoint(self.first, x, use_reentrant=self.reentrant)
        return checkpoint(self.second, hidden, use_reentrant=self.reentrant)


torch.manual_seed(3)
for reentrant in (True, False):
    model = Checkpointed(reentrant)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = batch()
    nn.functional.cross_entropy(model(x.requires_grad_()), y).backward()
    optimizer.step()
    say_where(model)
    del model, optimizer
