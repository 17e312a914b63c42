#!/usr/bin/env python3
"""goals.py MACHINE GRADES.json: what each CPU exercise as shipped and its solution reach there, as
lines of common/results/goals.csv. GRADES.json is `grade --json` of a student whose exercises are the
solutions. A goal's factor is to be between the two on every machine; Goals.FitEveryMachine looks."""
import json
import re
import subprocess
import sys
from pathlib import Path

GOAL = re.compile(r"// Goal: (?:[\d.]+ times|at most [\d.]+ times as long as) (\w+) at (\S+)")
source = Path(__file__).resolve().parents[2]
machine, grades = sys.argv[1], json.loads(Path(sys.argv[2]).read_text())
for found in grades["rows"]:
    file = f'{grades["commit"]}:{found["lesson"]}/exercise.cpp'
    text = subprocess.run(["git", "-C", source, "show", file], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    measured = [goal for goal in found.get("goals", []) if goal["variant"]]
    for (variant, case), goal in zip(GOAL.findall(text), measured):
        line = f'{found["lesson"]},{variant},{goal["shipped"]:.3g},{goal["ratio"]:.3g},"{case}"'
        print(f"{machine},{grades['date']},{line}")
