"""Times operations in PyTorch by the rules of the workbook, for `./workbook compare --peer pytorch`.

A peer is a file of this folder: `python3 FILE LESSON_FOLDER`. What an operation is in PyTorch stands in
the lesson's folder, or for several lessons in their chapter's, in a file of the same name: pytorch.py
with OPERATIONS = {name: function}, the name that of a case's axis "op", or else the lesson's without its
number. Such a function takes a Case, makes its inputs, and returns what is timed. With AUTOTUNE = True
Inductor searches over block sizes and reduction plans: where that pays, for it takes seconds per case.

The first line it writes is {"peer": "PyTorch 2.11.0", "knows": [operations that the lesson has here],
"variants": {"pytorch": "PyTorch", ...}}, its rows and how people call them, or {"missing": "..."} when
there is no PyTorch. The rows: pytorch, each operation as it stands (eager), and on a GPU
pytorch_compile, the same through torch.compile, once per case and outside the timing. Then a lesson
program asks, a line of JSON at a time, while it takes its own samples in turn:

  {"operation": "add", "variant": "pytorch", "case": {"dtype": "fp32", "rows": 4096, "columns": 4096},
   "accelerator": true, "cache": "cold", "budget": 0.05, "records": false}
  -> {"seconds": 5.1e-05, "timer": "events"}      a sample: the median of what fits in the budget, or
                                                  with "records" of 50 launches by kernel records
  -> {"skipped": "this PyTorch sees no GPU"}      why there is none

`python3 FILE --version` says which PyTorch is here.
"""
import importlib.metadata
import importlib.util
import json
import pathlib
import signal
import statistics
import sys
import time
import warnings

# Not this folder, whose triton.py is a peer: `import triton`, which torch does, means the library.
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:] = [folder for folder in sys.path if pathlib.Path(folder).resolve() != HERE]

try:
    VERSION = "PyTorch " + importlib.metadata.version("torch").split("+")[0]
    if sys.argv[1] == "--version":
        print(VERSION)
        sys.exit(0)
    import torch
except ImportError:
    print(json.dumps({"missing": "PyTorch is not installed for python3: pip install torch"}), flush=True)
    sys.exit(3)

sys.dont_write_bytecode = True  # nothing beside the lessons' files
warnings.filterwarnings("ignore", module="torch.profiler")  # on events that a cycle clears: none here

DTYPES = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
COMPILE_SECONDS = 50  # the lesson program waits for 60


def sizes(text):
    """[64, 128] of "64x128"."""
    return [int(size) for size in text.split("x")]


class Case:
    """The axes of a case, what they are in PyTorch, and the device."""

    def __init__(self, request):
        self.axes = request["case"]
        self.dtype = DTYPES[self.axes.get("dtype", "fp32")]
        self.device = "cuda" if request["accelerator"] else "cpu"

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


def operations(folder, name="pytorch.py"):
    """OPERATIONS of the lesson and of its chapter, and whether these are tuned."""
    found, tuned = {}, False
    for file in (folder.parent / name, folder / name):
        if file.exists():
            spec = importlib.util.spec_from_file_location("in_" + file.parent.name, file)
            module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            found.update(module.OPERATIONS)
            tuned = getattr(module, "AUTOTUNE", tuned)
    return found, tuned


def compiled(run, tuned):
    """`run` through torch.compile, ready to be timed. Raises TimeoutError where that takes too long."""
    def give_up(*_):
        raise TimeoutError(f"torch.compile took more than {COMPILE_SECONDS} s")
    torch._dynamo.reset()  # else a second shape is compiled for any shape, which is slower
    mode = "max-autotune-no-cudagraphs" if tuned else None
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


def serve(peer, known, variants, make_ready):
    """Says hello, then answers requests. make_ready(case, operation, variant, ways) puts what is timed into
    ways[variant]; `ways` has what is ready of this case."""
    print(json.dumps({"peer": peer, "knows": list(known), "variants": variants}), flush=True)
    devices, cases = {}, {}
    torch.backends.cuda.matmul.allow_tf32 = False
    for line in sys.stdin:
        try:
            request = json.loads(line)
            gpu = request["accelerator"]
            if gpu and not torch.cuda.is_available():
                raise ValueError("this PyTorch sees no GPU")
            case = Case(request)
            if gpu not in devices:
                devices[gpu] = Cuda() if gpu else Cpu()
            key = json.dumps(request["case"])
            variant = request["variant"]
            with torch.inference_mode():
                if key not in cases:
                    cases.clear()  # only one case's arrays at a time
                ways = cases.setdefault(key, {})
                if variant not in ways:
                    make_ready(case, request["operation"], variant, ways)
                answer = devices[gpu].sample(ways[variant], request["cache"] == "cold",
                                                 request["budget"], request["records"])
        except Exception as error:  # the lesson goes on, and its row says why
            answer = {"skipped": f"{type(error).__name__}: {error}".splitlines()[0]}
        print(json.dumps(answer), flush=True)


def main():
    known, tuned = operations(pathlib.Path(sys.argv[1]))
    variants = {"pytorch": "PyTorch"}
    if torch.cuda.is_available():
        variants["pytorch_compile"] = "torch.compile"

    def make_ready(case, operation, variant, ways):
        if "pytorch" not in ways:
            run = known[operation](case)
            for _ in range(3):
                run()
            ways["pytorch"] = run
        if variant not in ways:
            ways[variant] = compiled(ways["pytorch"], tuned)

    serve(VERSION, known, variants, make_ready)


if __name__ == "__main__":
    main()
