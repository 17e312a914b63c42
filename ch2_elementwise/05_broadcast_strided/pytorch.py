import torch
from __main__ import binary


def broadcast(view):
    """x + y with y seen as x's shape; view(case, rows, columns) makes y."""
    def make(case):
        x = case.random()
        y = view(case, case["rows"], case["columns"])
        return lambda: x + y
    return make


OPERATIONS = {
    "contiguous": binary(torch.add),
    "row": broadcast(lambda case, rows, columns: case.random(columns)),
    "column": broadcast(lambda case, rows, columns: case.random(rows, 1)),
    "transposed": broadcast(lambda case, rows, columns: case.random(*case.batched(columns, rows)).mT),
    "slice": broadcast(lambda case, rows, columns: case.random(*case.batched(rows, 2 * columns))[..., :columns]),
    "every_second": broadcast(lambda case, rows, columns: case.random(*case.batched(rows, 2 * columns))[..., ::2]),
}
