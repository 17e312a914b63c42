import torch
from __main__ import binary, unary

OPERATIONS = {
    "add": binary(torch.add),
    "rows": unary(lambda x: x.sum(-1)),
    "columns": unary(lambda x: x.sum(0)),
}
# Here Inductor searches, too: without it rows of 49 take 1.7 times, and 8 rows 2.3 times as long.
AUTOTUNE = True
