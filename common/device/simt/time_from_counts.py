#!/usr/bin/env python3
"""A time from what the emulated GPU counts, next to the stored time of a real one.

    time_from_counts.py build/simt/bin common/results/h200.json > common/results/h200_from_counts.csv

Of each lesson the first case. The emulator counts a smaller one, and its counts grow with the
operations, or with the bytes where there are none. The time is the longest of: the case's bytes at
the memory's measured rate, the sectors at that of L2, the sectors at 4 a cycle of each
multiprocessor, its cycles of shared memory, and the operations at the measured peak of fp32; to this
the measured time of a launch is added for each call of the runtime but the first. No number is
fitted to a time. Whatever waits (latency, few blocks, partly written sectors, tensor cores) is
missing, so this is a figure to doubt, and no verdict.
"""
import csv
import json
import math
import os
import subprocess
import sys
import tempfile

MULTIPROCESSORS, CLOCK = 132, 1.755e9  # of the H200, at its usual boost


def case_of(row):
    """The lesson, variant, and case of a row."""
    chapter, lesson, variant, _, case = row["name"].split("/", 4)
    return chapter + "/" + lesson, variant, case


def words(case):
    return [axis for axis in case.split(",") if axis.startswith(("op=", "dtype=", "mask="))]


def counted(folder, program, stored_case):
    with tempfile.TemporaryDirectory() as scratch:
        file = os.path.join(scratch, "counts.json")
        try:
            subprocess.run([os.path.join(folder, program), "--backend=simt", "--first", "--fast", "--quiet",
                            "--benchmark_out=" + file], capture_output=True, timeout=300)
            with open(file) as text:
                rows = json.load(text)["benchmarks"]
        except (OSError, ValueError, subprocess.TimeoutExpired):
            print(f"{program}: no counts", file=sys.stderr)
            return {}
    return {case_of(r)[1]: (case_of(r)[2], r["workbook"]) for r in rows
            if "runtime_calls" in r["workbook"] and words(case_of(r)[2]) == words(stored_case)}


def modelled(stored, own, ceilings):
    amount = lambda w: w.get("flops", 0) or w.get("read", 0) + w.get("written", 0)
    grown = amount(stored) / max(1, amount(own))
    of = lambda name: grown * sum(line.get(name, 0) for line in own.get("lines", []))
    sectors = of("load_sectors") + of("store_sectors")
    cycle = 1 / (MULTIPROCESSORS * CLOCK)
    times = {"memory": (stored.get("read", 0) + stored.get("written", 0)) / ceilings["triad"],
             "L2": 32 * sectors / ceilings["cache"], "L1": sectors / 4 * cycle, "shared": of("shared_cycles") * cycle,
             "fp32": stored.get("flops", 0) / ceilings["fp32"]}
    most = max(times, key=times.get)
    return times[most] + ceilings["launch"] * max(0, own["runtime_calls"] - 1), most


def main(folder, results):
    with open(results) as text:
        stored = json.load(text)
    ceilings = stored["context"]["workbook"]["ceilings"][0]["values"]
    first, rows = {}, {}
    for row in stored["benchmarks"]:
        if "/cuda/" not in row["name"] or row.get("error_occurred") or "sweep" in row["workbook"]:
            continue
        lesson, variant, case = case_of(row)
        if first.setdefault(lesson, case) == case:
            rows.setdefault(lesson, {})[variant] = row
    table, out = [], csv.writer(sys.stdout, lineterminator="\n")
    for lesson, variants in rows.items():
        program = lesson.split("/")[1].split("_", 1)[1]
        own = counted(folder, program, first[lesson]) if os.path.exists(os.path.join(folder, program)) else {}
        for variant, row in variants.items():
            if variant in own:
                seconds, bound = modelled(row["workbook"], own[variant][1], ceilings)
                measured = row["real_time"] * 1e-9
                table.append((lesson, variant, first[lesson], own[variant][0], measured, seconds, bound))
    ratios = sorted(math.log(t[5] / t[4]) for t in table)
    mean = math.exp(sum(ratios) / len(ratios))
    within = lambda f: sum(abs(r) <= math.log(f) for r in ratios)
    print(f"# {len(table)} variants: the model's time over the measured one has the geometric mean {mean:.2f}; "
          f"{within(1.25)} are within a factor of 1.25, {within(2)} of 2, {within(4)} of 4.")
    ordered = sum((a[4] < b[4]) == (a[5] < b[5]) for a, b in pairs(table))
    print(f"# Of {len(pairs(table))} pairs of variants of a lesson whose times differ by 20 %, it orders {ordered} as measured.")
    out.writerow(["lesson", "variant", "case", "counted_case", "measured_us", "from_counts_us", "ratio", "bound_by"])
    for lesson, variant, case, small, measured, seconds, bound in table:
        out.writerow([lesson, variant, case, small, f"{measured * 1e6:.4g}", f"{seconds * 1e6:.4g}",
                      f"{seconds / measured:.3g}", bound])


def pairs(table):
    return [(a, b) for i, a in enumerate(table) for b in table[i + 1:]
            if a[0] == b[0] and abs(math.log(a[4] / b[4])) > math.log(1.2)]


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
