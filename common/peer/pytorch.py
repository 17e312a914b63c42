"""Times operations in PyTorch by the rules of the workbook, for `./workbook compare --peer pytorch`.

A lesson program starts this and asks, a line of JSON at a time, while it takes its own samples in
turn:

  {"lesson": "ch2_elementwise/01_add", "variant": "pytorch", "case": {"dtype": "fp32", "rows": 4096, "columns": 4096},
   "backend": "cuda", "cache": "cold", "budget": 0.05, "records": false}
  -> {"seconds": 5.1e-05, "timer": "events"}      a sample: the median of what fits in the budget, or
                                                  with "records" of 50 launches by kernel records
  -> {"skipped": "this PyTorch sees no GPU"}      why there is none

The first line it writes is {"peer": "PyTorch 2.11.0", "knows": [lessons and operations it has],
"variants": [...]}, or {"missing": "..."} when there is no PyTorch. The variants: pytorch, each
operation as it stands (eager), and on a GPU pytorch_compile, the same through torch.compile, once per
case and outside the timing.
"""
import json
import signal
import statistics
import sys
import time
import warnings

try:
    import torch
    import torch.nn.functional as F
except ImportError:
    print(json.dumps({"missing": "PyTorch is not installed for python3: pip install torch"}), flush=True)
    sys.exit(0)

warnings.filterwarnings("ignore", module="torch.profiler")  # on events that a cycle clears: none here

DTYPES = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}

# What a lesson is in PyTorch, where its cases don't name an operation of the table below.
LESSONS = {
    "ch2_elementwise/01_add": "add",
    "ch2_elementwise/04_fusion": "bias_gelu",
    "ch3_reductions/01_sum": "sum",
    "ch3_reductions/05_sum_to_shape": "sum_to_shape",
    "ch3_reductions/06_softmax": "softmax",
    "ch3_reductions/07_layernorm": "layernorm",
    "ch3_reductions/08_precision": "sums",
    "ch4_gemm_fusion/01_sgemm": "matmul",
    "ch4_gemm_fusion/02_tensor_cores": "matmul",
    "ch4_gemm_fusion/03_linear_relu": "linear_relu",
    "ch4_gemm_fusion/09_attention": "attention",
}

# Lessons whose operations are others than those of the same name: theirs begin with this.
PREFIXES = {
    "ch3_reductions/02_inner_axis": "inner_",
    "ch3_reductions/03_outer_axis": "outer_",
    "ch3_reductions/04_multi_axis": "axes_",
    "ch3_reductions/06_softmax": "softmax_",
}


COMPILE_SECONDS = 50  # the lesson program waits for 60

# Where Inductor's search over block sizes and reduction plans pays: it takes seconds per case.
AUTOTUNED = {"softmax_softmax", "softmax_backward", "layernorm", "layernorm_backward", "rmsnorm",
             "rmsnorm_backward", "matmul", "linear_relu"}


def sizes(text):
    """[64, 128] of "64x128"."""
    return [int(size) for size in text.split("x")]


class Case:
    """The axes of a case, what they are in PyTorch, and the device."""

    def __init__(self, request):
        self.axes = request["case"]
        self.dtype = DTYPES[self.axes.get("dtype", "fp32")]
        self.operation = self.axes.get("op") or LESSONS.get(request["lesson"])
        if request["lesson"] in PREFIXES:
            self.operation = PREFIXES[request["lesson"]] + self.operation
        self.device = request["backend"]

    def __getitem__(self, name):
        return self.axes[name]

    def batched(self, *shape):
        return [self.axes["batch"], *shape] if "batch" in self.axes else list(shape)

    def shape(self):
        """What a case with one array computes on."""
        if "elements" in self.axes:
            return [self["elements"]]
        if "shape" in self.axes:
            return sizes(self["shape"])
        return self.batched(self["rows"], self["columns"])

    def random(self, *shape):
        return torch.randn(*(shape or self.shape()), device=self.device).to(self.dtype)


def unary(function):
    def make(case):
        x = case.random()
        return lambda: function(x)
    return make


def binary(function):
    def make(case):
        x, y = case.random(), case.random()
        return lambda: function(x, y)
    return make


def bias_gelu(case):
    x, residual = case.random(), case.random()
    bias = case.random(case["columns"])
    return lambda: F.gelu(x + bias, approximate="tanh") * 0.5 + residual


def broadcast(view):
    """x + y with y seen as x's shape; view(case, rows, columns) makes y."""
    def make(case):
        x = case.random()
        y = view(case, case["rows"], case["columns"])
        return lambda: x + y
    return make


def dropout(case):
    x, p = case.random(), case["percent"] / 100
    return lambda: F.dropout(x, p, training=True)


def dropout_backward(case):
    x, p = case.random(), case["percent"] / 100
    _, mask = torch.ops.aten.native_dropout(x, p, True)
    return lambda: torch.ops.aten.native_dropout_backward(x, mask, 1 / (1 - p))


def matmul(case):
    n = case["n"]  # a square one has only that
    m, k = case.axes.get("m", n), case.axes.get("k", n)
    a, b = case.random(*case.batched(m, k)), case.random(*case.batched(k, n))
    return lambda: a @ b


def linear_relu(case):
    x, weight = case.random(case["m"], case["k"]), case.random(case["n"], case["k"])
    bias = case.random(case["n"])
    return lambda: F.relu(F.linear(x, weight, bias))


def attention(case):
    shape = [case[name] for name in ("batch", "heads", "length", "width")]
    q, k, v = (case.random(*shape) for _ in range(3))
    return lambda: F.scaled_dot_product_attention(q, k, v)


def sums(case):
    """Of rows: as many as the lesson has, 64 short ones or one long one. Accumulators and results are fp32."""
    n = case["elements"]
    rows = case.axes.get("sums", min(max((16 << 20) // max(n, 1), 1), 64))
    x = case.random(rows, n)
    return lambda: torch.sum(x, -1, dtype=torch.float32)
def over_axes(function):
    """Over the axes "0,2" of a shape "64x128x64", or over all of them."""
    def make(case):
        x = case.random()
        axes = list(range(x.dim())) if case["axes"] == "all" else [int(axis) for axis in case["axes"].split(",")]
        return lambda: function(x, axes)
    return make


def sum_to_shape(case):
    x, to = case.random(), sizes(case["to"])
    if list(x.shape) == to:
        return lambda: x.clone()  # sum_to_size would give back x itself, ours is a new array
    return lambda: x.sum_to_size(to)


def layernorm(case):
    x, columns = case.random(), case["columns"]
    weight, bias = case.random(columns), case.random(columns)
    return lambda: F.layer_norm(x, [columns], weight, bias)


def softmax_backward(case):
    y, dy = torch.softmax(case.random(), -1), case.random()
    return lambda: torch.ops.aten._softmax_backward_data(dy, y, -1, y.dtype)
def rmsnorm(case):
    x, columns = case.random(), case["columns"]
    weight = case.random(columns)
    return lambda: F.rms_norm(x, [columns], weight, 1e-5)


def layernorm_backward(case):
    x, dy, columns = case.random(), case.random(), case["columns"]
    weight, bias = case.random(columns), case.random(columns)
    _, mean, rstd = torch.ops.aten.native_layer_norm(x, [columns], weight, bias, 1e-5)
    return lambda: torch.ops.aten.native_layer_norm_backward(
        dy, x, [columns], mean, rstd, weight, bias, [True, True, True])


def rmsnorm_backward(case):
    """By its formulas, in fp32 as F.rms_norm has it: not every PyTorch has one operation for it."""
    x, dy, columns = case.random(), case.random(), case["columns"]
    weight = case.random(columns)
    rstd = torch.rsqrt(x.float().square().mean(-1, keepdim=True) + 1e-5)

    def run():
        xhat, wide = x.float() * rstd, dy.float()
        g = wide * weight.float()
        dx = rstd * (g - xhat * (g * xhat).mean(-1, keepdim=True))
        return dx.to(x.dtype), (wide * xhat).sum(0).to(x.dtype)

    fused = getattr(torch.ops.aten, "_fused_rms_norm_backward", None)
    if fused is None or case.device != "cuda":
        return run
    return lambda: fused(dy, x, [columns], rstd, weight, [True, True])


# Each takes a Case, makes its inputs, and returns what is timed.
OPERATIONS = {
    "add": binary(torch.add),
    "sub": binary(torch.sub),
    "mul": binary(torch.mul),
    "div": binary(torch.div),
    "relu": unary(F.relu),
    "leaky_relu": unary(lambda x: F.leaky_relu(x, 0.01)),
    "gelu": unary(F.gelu),
    "silu": unary(F.silu),
    "sigmoid": unary(torch.sigmoid),
    "tanh": unary(torch.tanh),
    "exp": unary(torch.exp),
    "bias_gelu": bias_gelu,
    "contiguous": binary(torch.add),
    "row": broadcast(lambda case, rows, columns: case.random(columns)),
    "column": broadcast(lambda case, rows, columns: case.random(rows, 1)),
    "transposed": broadcast(lambda case, rows, columns: case.random(*case.batched(columns, rows)).mT),
    "slice": broadcast(lambda case, rows, columns: case.random(*case.batched(rows, 2 * columns))[..., :columns]),
    "every_second": broadcast(lambda case, rows, columns: case.random(*case.batched(rows, 2 * columns))[..., ::2]),
    "forward": dropout,
    "backward": dropout_backward,
    "sum": unary(lambda x: torch.sum(x, dtype=torch.float32)),
    "max": unary(torch.max),
    "min": unary(torch.min),
    "mean": unary(lambda x: torch.mean(x, dtype=torch.float32)),
    "inner_sum": unary(lambda x: x.sum(-1)),
    "inner_max": unary(lambda x: x.amax(-1)),
    "inner_mean": unary(lambda x: x.mean(-1)),
    "outer_sum": unary(lambda x: x.sum(0)),
    "outer_max": unary(lambda x: x.amax(0)),
    "outer_mean": unary(lambda x: x.mean(0)),
    "axes_sum": over_axes(torch.sum),
    "axes_max": over_axes(torch.amax),
    "axes_mean": over_axes(torch.mean),
    "sum_to_shape": sum_to_shape,
    "softmax_softmax": unary(lambda x: torch.softmax(x, -1)),
    "softmax_backward": softmax_backward,
    "layernorm": layernorm,
    "layernorm_backward": layernorm_backward,
    "rmsnorm": rmsnorm,
    "rmsnorm_backward": rmsnorm_backward,
    "sums": sums,
    "matmul": matmul,
    "linear_relu": linear_relu,
    "attention": attention,
}


def compiled(run, operation):
    """`run` through torch.compile, ready to be timed. Raises TimeoutError where that takes too long."""
    def give_up(*_):
        raise TimeoutError(f"torch.compile took more than {COMPILE_SECONDS} s")
    torch._dynamo.reset()  # else a second shape is compiled for any shape, which is slower
    mode = "max-autotune-no-cudagraphs" if operation in AUTOTUNED else None
    function = torch.compile(run, dynamic=False, mode=mode)
    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(COMPILE_SECONDS)
    try:
        for _ in range(3):
            function()
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    return function


class Cuda:
    def __init__(self):
        l2 = torch.cuda.get_device_properties(0).L2_cache_size
        self.buffer = torch.zeros(max(2 * l2, 32 << 20) // 4, device="cuda")

    def prepare(self, cold):
        """What follows is in the queue by the time it can start. As with the workbook's own variants
        the caches are evicted last, so that the device has no rest before a launch."""
        torch.cuda._sleep(200_000)  # longer than the host needs to enqueue what follows
        if cold:
            self.buffer.max()  # reads twice the L2 cache

    def sample(self, run, cold, budget, records):
        if records:
            return {"seconds": self.from_records(run, cold), "timer": "cupti"}
        seconds, end = [], time.perf_counter() + budget
        while time.perf_counter() < end and len(seconds) < 1000:
            pairs = []
            for _ in range(min(64, max(1, len(seconds)))):
                start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
                self.prepare(cold)
                start.record()
                run()
                stop.record()
                pairs.append((start, stop))
            torch.cuda.synchronize()
            seconds += [1e-3 * start.elapsed_time(stop) for start, stop in pairs]
        return {"seconds": statistics.median(seconds), "timer": "events"}

    def from_records(self, run, cold, launches=50):
        """Median time from the first kernel's start to the last one's end."""
        from torch.profiler import ProfilerActivity, profile
        with profile(activities=[ProfilerActivity.CUDA]) as records:
            for _ in range(launches):
                self.prepare(cold)
                torch.cuda._sleep(1)  # the second sleep: what follows is the operation
                run()
            torch.cuda._sleep(1)
            torch.cuda.synchronize()
        kernels = sorted((e.time_range.start, e.time_range.end, e.name) for e in records.events()
                         if e.device_type == torch.autograd.DeviceType.CUDA)
        seconds, sleeps, own = [], 0, []
        for start, stop, name in kernels:
            if "spin_kernel" in name:
                sleeps += 1
                if own:
                    seconds.append(1e-6 * (own[-1][1] - own[0][0]))
                own = []
            elif sleeps % 2 == 0 and sleeps > 0:
                own.append((start, stop))
        return statistics.median(seconds)


class Cpu:
    def __init__(self):
        self.buffer = torch.zeros(128 << 20)  # 512 MiB: read to evict the caches

    def sample(self, run, cold, budget, records):
        seconds, end = [], time.perf_counter() + budget
        while not seconds or (time.perf_counter() < end and len(seconds) < 1000):
            if cold:
                self.buffer.max()
            start = time.perf_counter()
            run()
            seconds.append(time.perf_counter() - start)
        return {"seconds": statistics.median(seconds), "timer": "host"}


def main():
    print(json.dumps({"peer": "PyTorch " + torch.__version__.split("+")[0],
                      "knows": [*LESSONS, *OPERATIONS],
                      "variants": ["pytorch", *(["pytorch_compile"] if torch.cuda.is_available() else [])]}),
          flush=True)
    devices, cases = {}, {}
    torch.backends.cuda.matmul.allow_tf32 = False
    for line in sys.stdin:
        try:
            request = json.loads(line)
            backend = request["backend"]
            if backend == "cuda" and not torch.cuda.is_available():
                raise ValueError("this PyTorch sees no GPU")
            case = Case(request)
            if backend not in devices:
                devices[backend] = Cuda() if backend == "cuda" else Cpu()
            key = (request["lesson"], json.dumps(request["case"]))
            variant = request["variant"]
            with torch.inference_mode():
                if key not in cases:
                    cases.clear()  # only one case's arrays at a time
                    cases[key] = {"pytorch": OPERATIONS[case.operation](case)}
                    for _ in range(3):
                        cases[key]["pytorch"]()
                ways = cases[key]
                if variant not in ways:
                    ways[variant] = compiled(ways["pytorch"], case.operation)
                answer = devices[backend].sample(ways[variant], request["cache"] == "cold",
                                                 request["budget"], request["records"])
        except Exception as error:  # the lesson goes on, and its row says why
            answer = {"skipped": f"{type(error).__name__}: {error}".splitlines()[0]}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
