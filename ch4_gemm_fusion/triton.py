"""Products in Triton, for several lessons: one kernel, with the epilogue that a lesson asks for. A program
makes a tile; tiles are taken in groups of eight rows of tiles; eight configurations are tried for a shape."""
import torch
import torch.nn.functional as F
import triton
import triton.language as tl

SHAPES = [(128, 256, 64, 3, 8), (256, 128, 64, 3, 8), (128, 128, 64, 4, 4), (128, 128, 64, 3, 8),
          (128, 64, 64, 4, 4), (64, 128, 64, 4, 4), (64, 64, 64, 5, 4), (32, 64, 128, 4, 4)]
CONFIGS = [triton.Config({"M": m, "N": n, "K": k}, num_stages=stages, num_warps=warps)
           for m, n, k, stages, warps in SHAPES]


@triton.autotune(CONFIGS, key=["m", "n", "k"])
@triton.jit
def multiply(a, b, bias, c, m, n, k, b_row, b_column, EPILOGUE: tl.constexpr,
             M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    across = tl.cdiv(n, N)
    group, in_group = tl.program_id(0) // (8 * across), tl.program_id(0) % (8 * across)
    height = min(tl.cdiv(m, M) - 8 * group, 8)
    rows = (8 * group + in_group % height) * M + tl.arange(0, M)[:, None].to(tl.int64)
    columns = in_group // height * N + tl.arange(0, N)[None, :].to(tl.int64)
    total = tl.zeros([M, N], tl.float32)
    for first in range(0, k, K):
        along = first + tl.arange(0, K)
        left = tl.load(a + rows % m * k + along[None, :], along[None, :] < k, other=0)
        right = tl.load(b + along[:, None] * b_row + columns % n * b_column, along[:, None] < k, other=0)
        total = tl.dot(left, right, total, input_precision="ieee")
    if EPILOGUE == "bias_relu":
        total = tl.maximum(total + tl.load(bias + columns, columns < n).to(tl.float32), 0)
    if EPILOGUE == "leaky_relu":
        total = tl.maximum(total, 0.01 * total)
    tl.store(c + rows * n + columns, total.to(c.dtype.element_ty), (rows < m) & (columns < n))


def product(epilogue, finish, b_in_rows=False):
    def make(case):
        n = case["n"]  # a square product has only that
        m, k = case.axes.get("m", n), case.axes.get("k", n)
        a, b, bias = case.random(m, k), case.random(*((k, n) if b_in_rows else (n, k))), case.random(n)
        c = torch.empty(m, n, device=a.device, dtype=a.dtype)
        right = b if b_in_rows else b.T

        def run():
            def grid(shape):
                return (triton.cdiv(m, shape["M"]) * triton.cdiv(n, shape["N"]),)
            multiply[grid](a, b, bias, c, m, n, k, right.stride(0), right.stride(1), EPILOGUE=epilogue)
            return c
        return run, lambda: finish(a @ right, bias)
    return make


OPERATIONS = {
    "sgemm": product("", lambda c, bias: c, b_in_rows=True),
    "tensor_cores": product("", lambda c, bias: c),
    "hopper_pipeline": product("", lambda c, bias: c),
    "linear_relu": product("bias_relu", lambda c, bias: F.relu(c + bias)),
    "gemm_leaky_relu": product("leaky_relu", lambda c, bias: F.leaky_relu(c, 0.01)),
}
