#!/usr/bin/env python3
"""Draws requests for ./workbook access --svg: access.py FILE, and the SVG goes to standard output.
FILE is what report/access.cpp writes; the shapes and colours are those of draw.py.

access.py [--check], without FILE, does it again for the pictures of the pages: each names the
command that made it. With --check nothing is written, and code 1 says that one differs.
"""
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
from xml.sax.saxutils import unescape

sys.dont_write_bytecode = True
import draw

LEFT, CELL, GAP, HIGH = 66, 19, 3, 16
UNUSED, SEVERAL = -2, -3  # as report/access.h has them


def panel(svg, y, p):
    """Draws a request below y; returns where it ends."""
    svg.text(14, y + 14, p["title"], 14, bold=True)
    svg.text(14, y + 33, p["code"], 13)
    svg.text(14, y + 52, p["sentence"], 13)
    y += 62
    shared = p["shared"]

    def x_of(word):
        return LEFT + word * CELL + (0 if shared else word // 8 * GAP)

    if shared:
        svg.text(LEFT - 8, y + 12, "bank", 12, "end")
        for bank in range(0, 32, 4):
            svg.text(x_of(bank) + CELL / 2, y + 12, bank, 12, "middle")
        y += HIGH
    for number, (begin, words) in enumerate(p["rows"]):
        if p["left_out"] and number == p["first"]:
            svg.text(LEFT, y + 12, f"... {p['left_out']} more rows like these", 12)
            y += HIGH
        svg.text(LEFT - 8, y + 12, begin, 12, "end")
        for first in range(0, 32, 32 if shared else 8):
            part = words[first:first + (32 if shared else 8)]
            svg.box(x_of(first), y + 1, len(part) * CELL, HIGH - 2,
                    "yellow" if UNUSED in part else "grey")
        for i, word in enumerate(words):
            if word >= 0 or word == SEVERAL:
                fill = "red" if shared and p["conflict"] and p["lanes_of_bank"][i] > 1 else "blue"
                svg.box(x_of(i), y + 1, CELL - 1, HIGH - 2, fill,
                        text="*" if word == SEVERAL else word, size=12)
        y += HIGH
    if shared:
        svg.text(LEFT - 8, y + 13, "lanes", 12, "end")
        for bank, lanes in enumerate(p["lanes_of_bank"]):
            svg.text(x_of(bank) + CELL / 2, y + 13, lanes, 12, "middle", bold=lanes > 1)
        y += HIGH
    return y + 14


def commands(top):
    """The pictures that an access command made, each with that command."""
    for file in sorted(top.glob("ch*/**/*.svg")):
        made = re.search(r"<metadata>\./workbook (access .*)</metadata>", file.read_text())
        if made:
            yield file, shlex.split(unescape(made[1]))


def again(check):
    top = pathlib.Path(__file__).resolve().parents[2]
    all_of_them = list(commands(top))
    differ = 0
    for file, command in all_of_them:
        with tempfile.TemporaryDirectory() as folder:
            new = pathlib.Path(folder) / "new.svg"
            subprocess.run([top / "workbook", *command, "--svg", new], check=True,
                           stdout=subprocess.DEVNULL)
            if new.read_text() == file.read_text():
                continue
            differ += 1
            done = "differs from what its command draws" if check else "written"
            print(f"{file.relative_to(top)}: {done}")
            if not check:
                file.write_text(new.read_text())
    if check and differ:
        raise SystemExit("python3 common/pages/access.py draws these anew")
    print(f"{len(all_of_them)} pictures are as their commands draw them")


def drawn(given):
    panels = given["panels"]
    svg = draw.Svg()
    y = 8
    for p in panels:
        y = panel(svg, y, p)
    entries = [(14, "blue", "a lane's number")]
    if any(UNUSED in words for p in panels for _, words in p["rows"]):
        entries.append((150, "yellow", "moved and not used"))
    if any(p["conflict"] and p["shared"] for p in panels):
        entries.append((320, "red", "lanes that wait for each other"))
    svg.legend(y, *entries)
    svg.text(686, y + 13, "a row is 128 bytes", 13, "end")
    title = "; ".join(p["title"] for p in panels)
    description = " ".join(f"{p['title']}: {p['sentence']}." for p in panels)
    return draw.framed(svg, y + 28, title, description, given["command"])


if __name__ == "__main__":
    if sys.argv[1:] in ([], ["--check"]):
        again(check=len(sys.argv) > 1)
    else:
        print(drawn(json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))), end="")
