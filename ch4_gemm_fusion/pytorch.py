"""What several lessons share. One with an operation of its own has a pytorch.py beside its variants."""
import torch.nn.functional as F


def matmul(case):
    n = case["n"]  # a square one has only that
    m, k = case.axes.get("m", n), case.axes.get("k", n)
    a, b = case.random(*case.batched(m, k)), case.random(*case.batched(k, n))
    return lambda: a @ b


def matmul_transposed(case):
    """B is n x k, as the lesson has it."""
    a, b = case.random(case["m"], case["k"]), case.random(case["n"], case["k"])
    return lambda: a @ b.T


def linear_relu(case):
    x, weight = case.random(case["m"], case["k"]), case.random(case["n"], case["k"])
    bias = case.random(case["n"])
    return lambda: F.relu(F.linear(x, weight, bias))


AUTOTUNE = True
OPERATIONS = {
    "sgemm": matmul,
    "tensor_cores": matmul_transposed,
    "hopper_pipeline": matmul_transposed,
    "linear_relu": linear_relu,
}
