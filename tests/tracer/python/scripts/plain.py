"""Three iterations, with an evaluation after each that keeps gradients on in one of them."""
import torch
from torch import nn

from common import Net, batch, say_where

torch.manual_seed(1)
model, criterion = Net(), nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2)
for step in range(3):
    x, y = batch()
    optimizer.zero_grad()
    criterion(model(x), y).backward()
    optimizer.step()
    scheduler.step()
    model.eval()
    model(x)
    with torch.no_grad():
        model.train()
        print("%.6f" % criterion(model(x), y).item())
say_where(model)
