"""GELU in Triton: a program takes a block of numbers; arithmetic is fp32."""
import torch
import torch.nn.functional as F
import triton
import triton.language as tl


@triton.jit
def gelu_block(x, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    v = tl.load(x + i, inside).to(tl.float32)
    tl.store(z + i, v * 0.5 * (1 + tl.erf(v * 0.7071067811865476)), inside)


def gelu(case):
    x = case.random()
    z, n = torch.empty_like(x), x.numel()

    def run():
        gelu_block[(triton.cdiv(n, 1024),)](x, z, n, BLOCK=1024)
        return z
    return run, lambda: F.gelu(x)


OPERATIONS = {"gelu": gelu}
