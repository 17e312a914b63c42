#!/usr/bin/env python3
"""Draws the pictures of the pages: python3 common/pages/draw.py [--check] [FOLDER]

Below FOLDER (the repository) each picture.py has a function per picture, marked with @picture. What
it draws is written next to it: @picture("ring", ...) makes ring.svg. A page shows that file, so it
is in the repository; --check writes nothing, and exits 1 where a file is not what its function
draws.

Numbers of a lesson come from its code: constant() and require() read the lesson's files, and fail
when these no longer say what a picture shows. Python, because a picture needs no build, and its
standard library is enough. A picture is 700 wide, so a size of 14 is 14 pixels on a page.
"""
import importlib.util
import pathlib
import re
import sys
from xml.sax.saxutils import escape

# On a light page, on a dark page. Letters in `ink` are readable on all.
COLOURS = {
    "paper": ("#ffffff", "#0d1117"),
    "ink": ("#1f2328", "#e6edf3"),
    "line": ("#818b98", "#848d97"),
    "grey": ("#e4e8ec", "#30363d"),
    "blue": ("#b3d4f5", "#1f5b96"),
    "orange": ("#fbcf9b", "#8f5210"),
    "green": ("#b5e3bd", "#276a3a"),
    "pink": ("#f5c2de", "#8a3a69"),
    "yellow": ("#f3e793", "#6f6010"),
    "violet": ("#d6c7f5", "#5a4399"),
    "teal": ("#a5e0dc", "#196a66"),
    "red": ("#f6b8ae", "#943629"),
    "strong": ("#bc3a00", "#ff9b5e"),
}
_drawn = []


def style():

    def rules(i):
        return "".join(f".{n}{{fill:{c[i]}}}.{n}-edge{{stroke:{c[i]}}}" for n, c in COLOURS.items())

    return f"<style>{rules(0)}@media (prefers-color-scheme:dark){{{rules(1)}}}</style>"


class Svg:
    """Shapes by their place in pixels, from the upper left. `fill` and `edge` name a colour."""

    def __init__(self):
        self.parts = []

    def box(self, x, y, width, height, fill="grey", edge="", text="", size=14, thick=1, round=2):
        outline = (f' class="{fill} {edge}-edge" stroke-width="{thick}"'
                   if edge else f' class="{fill}"')
        self.parts.append(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" '
                          f'rx="{round}"{outline}/>')
        if text != "":
            self.text(x + width / 2, y + height / 2 + size * 0.35, text, size, "middle")

    def outline(self, x, y, width, height, edge="ink", thick=2):
        self.parts.append(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="2" '
                          f'fill="none" class="{edge}-edge" stroke-width="{thick}"/>')

    def text(self, x, y, text, size=14, anchor="start", bold=False, fill="ink"):
        weight = ' font-weight="bold"' if bold else ""
        self.parts.append(f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}"'
                          f'{weight} class="{fill}">{escape(str(text))}</text>')

    def legend(self, y, *entries):
        """Each entry: where it begins, a colour, and what that means."""
        for x, fill, meaning in entries:
            self.box(x, y, 16, 16, fill, "line")
            self.text(x + 22, y + 13, meaning, 13)

    def line(self, x, y, to_x, to_y, edge="line", thick=1.5, dashed=False):
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self.parts.append(f'<line x1="{x:g}" y1="{y:g}" x2="{to_x:g}" y2="{to_y:g}" '
                          f'class="{edge}-edge" stroke-width="{thick}"{dash}/>')

    def arrow(self, x, y, to_x, to_y, edge="ink", thick=1.5, dashed=False):
        length = ((to_x - x)**2 + (to_y - y)**2)**0.5
        ux, uy = (to_x - x) / length, (to_y - y) / length
        self.line(x, y, to_x - 6 * ux, to_y - 6 * uy, edge, thick, dashed)
        corners = [(to_x, to_y)]
        for side in (4, -4):
            corners.append((to_x - 8 * ux - side * uy, to_y - 8 * uy + side * ux))
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in corners)
        self.parts.append(f'<polygon points="{points}" class="{edge}"/>')


def framed(svg, height, title, description, made_by=""):
    """The whole file. A screen reader reads title and description; `made_by` is a command."""
    made = f"<metadata>{escape(made_by)}</metadata>\n" if made_by else ""
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="700" height="{height}" '
            f'viewBox="0 0 700 {height}" role="img" aria-labelledby="title desc" '
            'font-family="Helvetica, Arial, sans-serif">\n'
            f'<title id="title">{escape(title)}</title>\n<desc id="desc">{escape(description)}'
            f'</desc>\n{made}{style()}\n<rect width="700" height="{height}" class="paper"/>\n' +
            "\n".join(svg.parts) + "\n</svg>\n")


def picture(name, height, title, description):
    """Marks a function that draws on an Svg."""

    def draw(function):
        svg = Svg()
        function(svg)
        folder = pathlib.Path(function.__code__.co_filename).parent
        _drawn.append((folder / f"{name}.svg", framed(svg, height, title, description)))
        return function

    return draw


def _code(file):
    return (pathlib.Path(sys._getframe(2).f_code.co_filename).parent / file).read_text()


def constant(file, name):
    """The value of `name = 128` in a file next to picture.py."""
    found = re.search(rf"\b{name} = (\d+)\b", _code(file))
    if not found:
        raise SystemExit(f"{file} has no {name} = NUMBER: change the picture.py that reads it")
    return int(found[1])


def require(file, formula):
    """That a file next to picture.py still has the formula that the picture uses."""
    if formula not in " ".join(_code(file).split()):
        raise SystemExit(f"{file} has no more '{formula}': change the picture.py that draws it")


def main():
    check = "--check" in sys.argv
    folders = [a for a in sys.argv[1:] if not a.startswith("-")]
    top = pathlib.Path(folders[0] if folders else pathlib.Path(__file__).parents[2]).resolve()
    sys.modules["draw"] = sys.modules[__name__]  # what a picture.py imports
    files = sorted(top.glob("ch*/**/picture.py"))
    if not files:
        print(f"{top} has no chapter with a picture.py", file=sys.stderr)
        raise SystemExit(2)
    for file in files:
        spec = importlib.util.spec_from_file_location("picture", file)
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
    stale = 0
    for file, text in _drawn:
        if file.exists() and file.read_text() == text:
            continue
        stale += 1
        if not check:
            file.write_text(text)
        print(f"{file.relative_to(top)}: {'differs from its picture.py' if check else 'written'}")
    if check and stale:
        raise SystemExit("python3 common/pages/draw.py draws these anew")
    print(f"{len(_drawn)} pictures are as they are drawn")


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main()
