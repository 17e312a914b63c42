#!/usr/bin/env python3
"""Draws requests as ./workbook access --svg has them: access.py FILE, and the SVG goes to standard
output. FILE is what report/access.cpp writes; the shapes and colours are those of draw.py.
"""
import json
import sys

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


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        given = json.load(file)
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
    print(draw.framed(svg, y + 28, title, description, given["command"]), end="")


if __name__ == "__main__":
    main()
