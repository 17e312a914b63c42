"""Heads as PyTorch users have them: an array of three axes, permuted views of it, and a product."""
import torch


def views(case):
    layout, heads = case["layout"], case["heads"]
    m, n, k = case["m"], case["n"], case["k"]

    def head_views(rows, columns, transposed):
        stored = case.random(columns, heads, rows) if transposed else case.random(rows, heads, columns)
        return stored.permute(1, 2, 0) if transposed else stored.permute(1, 0, 2)

    a, b = head_views(m, k, layout[0] == "t"), head_views(k, n, layout[1] == "t")
    return lambda: torch.matmul(a, b).permute(1, 0, 2).contiguous()


OPERATIONS = {"views": views}
