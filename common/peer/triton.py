"""Times operations in Triton by the rules of the workbook, for `./workbook compare --peer triton`.

It speaks as pytorch.py does, and takes its clocks from there. What an operation is in Triton stands in the
lesson's folder, in triton.py: OPERATIONS = {name: function}. Such a function takes a Case, makes its inputs,
and returns two functions without parameters: one in Triton, which is timed, and the same in PyTorch. Both
run once; where their results differ by more than rounding, the row says so and has no time.
"""
import importlib.util
import json
import pathlib
import sys

sys.path.pop(0)  # this folder: `import triton` means the library
try:
    import triton
except ImportError:
    print(json.dumps({"missing": "Triton is not installed for python3: pip install triton"}), flush=True)
    sys.exit(3)
VERSION = "Triton " + triton.__version__
if sys.argv[1] == "--version":
    print(VERSION)
    sys.exit(0)

spec = importlib.util.spec_from_file_location("pytorch_peer", pathlib.Path(__file__).with_name("pytorch.py"))
pytorch = importlib.util.module_from_spec(spec)
spec.loader.exec_module(pytorch)
torch = pytorch.torch
if not torch.cuda.is_available():
    print(json.dumps({"missing": "Triton needs a GPU, and PyTorch sees none"}), flush=True)
    sys.exit(3)


def check(result, expected):
    """Raises ValueError where they differ: each by 2 units of its type, or by what sums of many terms
    lose, relative to the largest value."""
    for ours, theirs in zip(*(x if isinstance(x, tuple) else (x,) for x in (result, expected)), strict=True):
        unit = torch.finfo(theirs.dtype).eps
        if ours.shape != theirs.shape or not torch.allclose(
                ours.float(), theirs.float(), rtol=2 * unit,
                atol=max(2 * unit, 1e-5) * float(theirs.float().abs().max() if theirs.numel() else 0)):
            raise ValueError("its result is not PyTorch's")


def main():
    known, _ = pytorch.operations(pathlib.Path(sys.argv[1]), "triton.py")

    def make_ready(case, operation, variant, ways):
        run, reference = known[operation](case)
        check(run(), reference())
        ways[variant] = run

    pytorch.serve(VERSION, known, {"triton": "Triton"}, make_ready)


if __name__ == "__main__":
    main()
