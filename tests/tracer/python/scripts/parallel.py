"""DDP of two processes over gloo: parallel.py RANK FOLDER"""
import sys

import torch
import torch.distributed
from torch import nn

from common import Net, batch, say_where

rank, folder = int(sys.argv[1]), sys.argv[2]
torch.distributed.init_process_group("gloo", init_method="file://%s/rendezvous" % folder, rank=rank, world_size=2)
torch.manual_seed(8)
model = Net()
parallel = nn.parallel.DistributedDataParallel(model, bucket_cap_mb=2)
optimizer = torch.optim.SGD(parallel.parameters(), lr=0.1)
torch.manual_seed(rank)
for step in range(2):
    x, y = batch()
    optimizer.zero_grad()
    nn.functional.cross_entropy(parallel(x), y).backward()
    optimizer.step()
say_where(model)
torch.distributed.destroy_process_group()
