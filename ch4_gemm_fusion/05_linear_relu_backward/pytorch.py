"""The kernels that autograd runs for these gradients in PyTorch, written out: torch.compile sees them as one."""
import torch


def linear_relu_backward(case):
    dy, weight = case.random(case["m"], case["k"]), case.random(case["k"], case["n"])
    h = torch.relu(case.random(case["m"], case["n"]))

    def gradients():
        dz = torch.ops.aten.threshold_backward(dy @ weight, h, 0)
        return dz, dz.sum(0)

    return gradients


AUTOTUNE = False
OPERATIONS = {"linear_relu_backward": linear_relu_backward}
