"""The program marks its iterations itself, one of two optimiser steps each, with forwards between."""
import torch
from torch import nn

import gradwire_marks
from common import Net, batch, say_where

torch.manual_seed(9)
models = [Net(), Net()]
optimizers = [torch.optim.SGD(model.parameters(), lr=0.1) for model in models]
x, y = batch()
for step in range(2):
    with gradwire_marks.iteration():
        for model, optimizer in zip(models, optimizers):
            nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
say_where(*models)
