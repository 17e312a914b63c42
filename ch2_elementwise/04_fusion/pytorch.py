import torch.nn.functional as F


def bias_gelu(case):
    x, residual = case.random(), case.random()
    bias = case.random(case["columns"])
    return lambda: F.gelu(x + bias, approximate="tanh") * 0.5 + residual


OPERATIONS = {"fusion": bias_gelu}
