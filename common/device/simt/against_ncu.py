#!/usr/bin/env python3
"""Holds the emulated GPU's counts against Nsight Compute's.

    against_ncu.py gpu build/cuda/bin > ncu.csv         on a machine with a GPU, as root
    against_ncu.py compare build/simt/bin ncu.csv       anywhere: prints the table

Both run the same variants on the same sizes; of each, all kernels of one launch are added up.
Shared memory: instructions, and the wavefronts that they take. Those are taken from the metrics
smsp__sass_*, which follow from the addresses alone: l1tex__data_* counts whatever else passes
through that stage, too. A copy in the background (LDGSTS) is a load and a store to shared memory.
"""
import csv
import io
import json
import os
import subprocess
import sys
import tempfile

# Program, variants with the number of kernels of a launch, axes.
CASES = [
    ("coalescing", "baseline step1_row_walk step2_lane_walk optimized", "rows=65536,columns=16"),
    ("transpose", "baseline step1_shared step2_padded step3_vectorized optimized", "rows=512,columns=512"),
    ("sgemm", "baseline step1_coalesced step2_shared_tile step3_register_column step4_register_tile "
     "step5_vectorized step6_warp_tiles step7_double_buffered", "m=128,n=128,k=128"),
    ("inner_axis", "baseline step1_warp step2_block step3_wide", "op=sum,dtype=fp32,rows=1024,columns=1024"),
    ("add", "baseline step2_vectorized optimized", "dtype=fp32,rows=512,columns=1024"),
    ("softmax", "baseline step1_online step2_once", "op=softmax,dtype=fp32,rows=512,columns=512"),
    ("data_layout", "baseline step1_struct_of_arrays optimized", "particles=65536"),
    ("tensor_cores", "baseline optimized", "m=128,n=128,k=128,dtype=bf16"),
    ("layernorm", "step1_welford step2_vectorized", "op=layernorm,dtype=fp32,rows=512,columns=512"),
    ("attention", "step1_flash step2_mma", "batch=1,heads=4,length=64,width=64,mask=full,dtype=bf16"),
    ("transpose", "step3_vectorized optimized", "rows=129,columns=1000"),
    ("outer_axis", "baseline step1_tile", "op=sum,dtype=fp32,rows=1024,columns=1024"),
    ("broadcast_strided", "baseline step2_collapsed", "op=transposed,dtype=fp32,rows=512,columns=512"),
    ("add", "step2_vectorized optimized", "dtype=bf16,rows=512,columns=1024"),
]

# What the emulator counts, and the metrics that say the same when they are added up.
COUNTS = {
    "load_requests": ["l1tex__t_requests_pipe_lsu_mem_global_op_ld"],
    "load_sectors": ["l1tex__t_sectors_pipe_lsu_mem_global_op_ld"],
    "store_requests": ["l1tex__t_requests_pipe_lsu_mem_global_op_st"],
    "store_sectors": ["l1tex__t_sectors_pipe_lsu_mem_global_op_st"],
    "shared_requests": ["smsp__inst_executed_op_shared_ld", "smsp__inst_executed_op_shared_st",
                        "smsp__inst_executed_op_ldsm", "smsp__inst_executed_op_ldgsts"],
    "shared_cycles": ["smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_" + op
                      for op in ("ld", "st", "ldsm", "ldgsts")],
    "atomic_requests": ["l1tex__t_requests_pipe_lsu_mem_global_op_red",
                        "l1tex__t_requests_pipe_lsu_mem_global_op_atom"],
}
ALSO = ["sm__sass_l1tex_t_requests_pipe_lsu_mem_global_op_ldgsts",
        "sm__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts",
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st",
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld",
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st"]
OF_THE_HARNESS = ("hold_stream", "read_all", "pick_places", "fill_random")


def cases():
    for program, variants, axes in CASES:
        for variant in variants.split():
            name, _, kernels = variant.partition(":")
            yield program, name, axes, int(kernels or 1)


def command(folder, backend, program, variant, axes):
    return [os.path.join(folder, program), "--backend=" + backend, "--variant=" + variant, "--fast", "--quiet",
            "--benchmark_repetitions=1"] + [word for axis in axes.split(",") for word in ("--axis", axis)]


def gpu(folder):
    wanted = [m for metrics in COUNTS.values() for m in metrics] + ALSO
    known = subprocess.run(["ncu", "--query-metrics", "--chips", "gh100"], capture_output=True, text=True).stdout.split()
    metrics = [m for m in wanted if m in known]
    print("not known here:", [m for m in wanted if m not in known], file=sys.stderr)
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["program", "variant", "axes", "kernels"] + metrics)
    for program, variant, axes, kernels in cases():
        profiled = subprocess.run(
            ["ncu", "--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none", "--kill", "yes",
             "--target-processes", "application-only",  # not the program that measures ceilings
             "--launch-count", str(2 * kernels + 2), "--metrics", ",".join(m + ".sum" for m in metrics)] +
            command(folder, "cuda", program, variant, axes), capture_output=True, text=True)
        lines = [line for line in profiled.stdout.splitlines() if line.startswith('"')]
        rows = [row for row in csv.DictReader(io.StringIO("\n".join(lines)))
                if row["ID"] and not any(name in row["Kernel Name"] for name in OF_THE_HARNESS)][:kernels]
        if len(rows) < kernels:
            print(program, variant, axes, profiled.stdout[-600:], profiled.stderr[-300:], file=sys.stderr)
            continue
        number = lambda row, m: float((row.get(m + ".sum") or "nan").replace(",", ""))
        out.writerow([program, variant, axes, " ".join(row["Kernel Name"].split("(")[0] for row in rows)] +
                     [f"{sum(number(row, m) for row in rows):.0f}" for m in metrics])
        sys.stdout.flush()


def emulated(folder, program, variant, axes):
    with tempfile.TemporaryDirectory() as scratch:
        file = os.path.join(scratch, "counts.json")
        ran = subprocess.run(command(folder, "simt", program, variant, axes) + ["--benchmark_out=" + file],
                             capture_output=True, text=True)
        try:
            with open(file) as text:
                lines = json.load(text)["benchmarks"][0]["workbook"]["lines"]
        except (OSError, ValueError, LookupError):
            sys.exit(f"{program} {variant} {axes}: {ran.stderr[-300:]}")
    return {name: sum(line.get(name, 0) for line in lines) for name in COUNTS}


def compare(folder, file):
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["program", "variant", "axes", "off_percent"] +
                 [column for name in COUNTS for column in (name, name + "_ncu")])
    with open(file) as text:
        for row in csv.DictReader(text):
            own = emulated(folder, row["program"], row["variant"], row["axes"])
            pairs = [(own[name], sum(float(row.get(m) or 0) for m in metrics)) for name, metrics in COUNTS.items()]
            off = max(100 * abs(a - b) / max(a, b, 1) for a, b in pairs)
            out.writerow([row["program"], row["variant"], row["axes"], f"{off:.2f}"] +
                         [f"{x:.0f}" for pair in pairs for x in pair])
            sys.stdout.flush()


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "gpu":
        gpu(sys.argv[2])
    elif len(sys.argv) == 4 and sys.argv[1] == "compare":
        compare(*sys.argv[2:])
    else:
        sys.exit(__doc__)
