import torch


def over_axes(function):
    """Over the axes "0,2" of a shape "64x128x64", or over all of them."""
    def make(case):
        x = case.random()
        axes = list(range(x.dim())) if case["axes"] == "all" else [int(axis) for axis in case["axes"].split(",")]
        return lambda: function(x, axes)
    return make


OPERATIONS = {"sum": over_axes(torch.sum), "max": over_axes(torch.amax), "mean": over_axes(torch.mean)}
