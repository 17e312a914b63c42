import torch


def precision(case):
    """Of rows: as many as the lesson has, 64 short ones or one long one. Accumulators and results are fp32."""
    n = case["elements"]
    rows = case.axes.get("sums", min(max((16 << 20) // max(n, 1), 1), 64))
    x = case.random(rows, n)
    return lambda: torch.sum(x, -1, dtype=torch.float32)


OPERATIONS = {"precision": precision}
