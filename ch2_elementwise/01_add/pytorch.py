import torch
from __main__ import binary

OPERATIONS = {"add": binary(torch.add)}
