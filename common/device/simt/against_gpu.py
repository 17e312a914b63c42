#!/usr/bin/env python3
"""Holds the emulated GPU's counts against those of a GPU.

    against_gpu.py GPU... EMULATED... > table.csv       says below how many are within 2 %

GPU: the JSON of `./workbook compare LESSON --backend=cuda --first --counters --json`, or h200.json. EMULATED: the
JSON of the same with `--backend=simt` and the same case (--axis), or one with fewer blocks that are alike: counts
grow with the bytes that are written. Differences to expect: shared memory of a GPU counts whatever else waits
there, too, and does not count what copies in the background write.
"""
import csv
import json
import sys

TOTALS = ["load_requests", "load_sectors", "store_requests", "store_sectors"]


def read(files):
    for file in files:
        with open(file) as text:
            for row in json.load(text)["benchmarks"]:
                chapter, lesson, variant, backend, case = row["name"].split("/", 4)
                yield chapter + "/" + lesson, variant, backend, case, row["workbook"]


def emulated_counts(own):
    of = lambda name: sum(line.get(name, 0) for line in own["lines"])
    return {**{name: of(name) for name in TOTALS}, "shared_wavefronts": of("shared_cycles")}


def main(files):
    rows = list(read(files))
    emulated = {(lesson, variant): (case, own) for lesson, variant, backend, case, own in rows if "lines" in own}
    out, agreeing = csv.writer(sys.stdout, lineterminator="\n"), {}
    out.writerow("lesson variant case emulated_case quantity gpu emulated ratio".split())
    for lesson, variant, backend, case, gpu in rows:
        if backend != "cuda" or "hardware" not in gpu or (lesson, variant) not in emulated:
            continue
        emulated_case, own = emulated[lesson, variant]
        grown = gpu["written"] / own["written"]
        for name, count in emulated_counts(own).items():
            of_gpu, count = gpu["hardware"].get(name), grown * count
            if of_gpu and count:
                out.writerow([lesson, variant, case, emulated_case, name, f"{of_gpu:.6g}", f"{count:.6g}",
                              f"{count / of_gpu:.4f}"])
                agreeing.setdefault(name, []).append(abs(count / of_gpu - 1) <= 0.02 and lesson)
    for name, lessons in agreeing.items():
        close = [lesson for lesson in lessons if lesson]
        print(f"{name}: {len(close)} of {len(lessons)} within 2 %, in {len(set(close))} lessons", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:]) if len(sys.argv) > 2 else sys.exit(__doc__)
