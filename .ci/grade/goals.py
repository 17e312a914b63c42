#!/usr/bin/env python3
"""goals.py MACHINE GRADES.json: what each CPU exercise as shipped and its solution reach there, as
lines of common/results/goals.csv. GRADES.json is `grade --json` of a student whose exercises are the
solutions. A goal's factor is to be between the two on every machine; Goals.FitEveryMachine looks.
Exit code 2 for a wrong call or file."""
import json
import sys
from pathlib import Path

if len(sys.argv) != 3:
    print("usage: goals.py MACHINE GRADES.json", file=sys.stderr)
    sys.exit(2)
machine, file = sys.argv[1:]
try:
    grades = json.loads(Path(file).read_text())
    for found in grades["rows"]:
        for goal in found.get("goals", []):
            if goal["variant"]:
                print(f'{machine},{grades["date"]},{found["lesson"]},{goal["variant"]},'
                      f'{goal["shipped"]:.3g},{goal["ratio"]:.3g},"{goal["case"]}"')
except OSError as error:
    print(f"goals.py: {error}", file=sys.stderr)
    sys.exit(2)
except (ValueError, KeyError, TypeError, AttributeError):
    print(f"goals.py: {file} is no file of grade --json", file=sys.stderr)
    sys.exit(2)
