#!/usr/bin/env python3
"""Holds the emulated GPU's counts against those of a GPU.

    against_gpu.py common/results/h200_shared.csv build/simt/bin > common/results/h200_counts.csv

The first file has a line for each kernel, with what Nsight Compute counts of the addresses of single
instructions: requests, wavefronts and the least of them for shared memory, requests and sectors for
global memory. The programs in the folder run the same cases with the emulator, with as many
multiprocessors, for many grids depend on them. Where a line names an emulated_case, the GPU's case is
too large for the emulator, and the sectors of a request are all that is compared. Says below how many
kernels agree within 2 %. Conflicts are wavefronts beyond the least. Shared memory agrees where all of
its four counts do.
"""
import csv
import json
import os
import re
import subprocess
import sys
import tempfile

COUNTS = {"requests": "shared_requests", "wavefronts": "shared_cycles", "least": "shared_least_cycles"}
SHARED = [*COUNTS, "conflicts"]
SECTORS = ["load_sectors", "store_sectors"]
PER_REQUEST = [name + "_per_request" for name in SECTORS]
READ = [*COUNTS, *SECTORS, "load_requests", "store_requests"]


def emulated(folder, lesson, case, known={}):
    """The counts of each variant."""
    if (lesson, case) not in known:
        program = os.path.join(folder, lesson.split("/")[1].split("_", 1)[1])
        axes = re.split(r",(?=\w+=)", case)  # a value may have commas, too
        with tempfile.TemporaryDirectory() as scratch:
            file = os.path.join(scratch, "counts.json")
            subprocess.run([program, "--backend=simt", "--first", "--fast", "--quiet", "--seed=7",
                            "--benchmark_repetitions=1", *("--axis=" + axis for axis in axes),
                            "--benchmark_out=" + file], stdout=subprocess.DEVNULL, check=True,
                           env={**os.environ, "WB_SIMT": "multiprocessors=132"})  # an H200's
            with open(file) as text:
                rows = json.load(text)["benchmarks"]
        known[lesson, case] = {row["name"].split("/")[2]: row["workbook"].get("lines", []) for row in rows}
    return known[lesson, case]


def counts_of(lines):
    of = lambda name: sum(line.get(name, 0) for line in lines)
    return {name: of(COUNTS.get(name, name)) for name in READ}


def complete(counts):
    counts["conflicts"] = counts["wavefronts"] - counts["least"]
    for name in SECTORS:
        counts[name + "_per_request"] = counts[name] / max(1, counts[name.replace("sectors", "requests")])
    return counts


def main(gpu_file, folder):
    with open(gpu_file) as text:
        rows = list(csv.DictReader(line for line in text if not line.startswith("#")))
    print("# The emulated GPU's counts of launches next to those of a GPU (_gpu): made by common/device/simt/against_gpu.py")
    print(f"# from {os.path.basename(gpu_file)}, which says how the GPU's were made.")
    out, agree = csv.writer(sys.stdout, lineterminator="\n"), {}
    columns = SHARED + SECTORS + PER_REQUEST
    out.writerow(["lesson", "variant", "case", *(name + of for name in columns for of in ("_gpu", "")),
                  "shared_agrees", "why_not"])
    for row in rows:
        lesson, variant, case, small = (row[name] for name in ("lesson", "variant", "case", "emulated_case"))
        own = complete(counts_of(emulated(folder, lesson, small or case)[variant]))
        gpu = complete({name: float(row[name] or 0) for name in READ})
        compared = PER_REQUEST if small else columns
        close = {name: abs(own[name] - gpu[name]) <= 0.02 * gpu[name] for name in compared}
        if not small:
            close["shared memory"] = all(close[name] for name in SHARED)
        for name, yes in close.items():
            agree.setdefault(name, []).append((yes, lesson))
        figures = [f"{of[name]:.7g}" if name in compared else "" for name in columns for of in (gpu, own)]
        said = "" if small else "yes" if close["shared memory"] else "no"
        out.writerow([lesson, variant, case, *figures, said, row["why_not"]])
    for name, all_of in agree.items():
        close = [lesson for yes, lesson in all_of if yes]
        print(f"{name}: {len(close)} of {len(all_of)} kernels within 2 %, in {len(set(close))} lessons", file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:]) if len(sys.argv) == 3 else sys.exit(__doc__)
