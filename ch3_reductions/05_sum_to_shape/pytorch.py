from __main__ import sizes


def sum_to_shape(case):
    x, to = case.random(), sizes(case["to"])
    if list(x.shape) == to:
        return lambda: x.clone()  # sum_to_size would give back x itself, ours is a new array
    return lambda: x.sum_to_size(to)


OPERATIONS = {"sum_to_shape": sum_to_shape}
