"""Two micro-batches an iteration; the gradient scaler drops the second of three steps."""
import torch
from torch import nn

from common import Net, batch, say_where

torch.manual_seed(2)
model, criterion = Net(), nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters())
for step in range(3):
    optimizer.zero_grad()
    for _ in range(2):
        x, y = batch()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = criterion(model(x).float(), y) / 2
        loss.backward()
    if step != 1:  # as GradScaler.step, which does not call the optimiser where a gradient is infinite
        optimizer.step()
say_where(model)
