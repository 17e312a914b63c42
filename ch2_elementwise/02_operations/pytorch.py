import torch
import torch.nn.functional as F
from __main__ import binary, unary

OPERATIONS = {
    "add": binary(torch.add),
    "sub": binary(torch.sub),
    "mul": binary(torch.mul),
    "div": binary(torch.div),
    "relu": unary(F.relu),
    "leaky_relu": unary(lambda x: F.leaky_relu(x, 0.01)),
    "gelu": unary(F.gelu),
    "silu": unary(F.silu),
    "sigmoid": unary(torch.sigmoid),
    "tanh": unary(torch.tanh),
    "exp": unary(torch.exp),
}
