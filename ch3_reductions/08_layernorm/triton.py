"""Layernorm in Triton: a program keeps a whole row, so it is read once. Longer rows than 65,536 are refused."""
import torch
import torch.nn.functional as F
import triton
import triton.language as tl


@triton.jit
def layernorm_row(x, weight, bias, z, columns, BLOCK: tl.constexpr):
    column = tl.arange(0, BLOCK)
    inside = column < columns
    i = tl.program_id(0).to(tl.int64) * columns + column
    v = tl.load(x + i, inside, other=0).to(tl.float32)
    centred = tl.where(inside, v - tl.sum(v, 0) / columns, 0)
    scale = tl.rsqrt(tl.sum(centred * centred, 0) / columns + 1e-5)
    w, b = tl.load(weight + column, inside).to(tl.float32), tl.load(bias + column, inside).to(tl.float32)
    tl.store(z + i, centred * scale * w + b, inside)


def layernorm(case):
    rows, columns = case["rows"], case["columns"]
    if columns > 1 << 16:
        raise ValueError("a row does not fit into one program's registers")
    x, weight, bias = case.random(rows, columns), case.random(columns), case.random(columns)
    z, block = torch.empty_like(x), triton.next_power_of_2(columns)
    warps = min(32, max(1, block // 512))

    def run():
        layernorm_row[(rows,)](x, weight, bias, z, columns, BLOCK=block, num_warps=warps)
        return z
    return run, lambda: F.layer_norm(x, [columns], weight, bias)


OPERATIONS = {"layernorm": layernorm}
