#!/usr/bin/env python3
"""Pictures are as their code draws them, and pages show them to those, too, who cannot see them."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

TOP = pathlib.Path(__file__).parents[2]
SVG = "{http://www.w3.org/2000/svg}"
PICTURE = """from draw import constant, picture, require
@picture("tile", 40, "A tile", "A tile of C.")
def tile(svg):
    require("kernel.cu", "p ^ row % 8")
    svg.box(0, 0, constant("kernel.cu", "kTile"), 8, text="a < b")
    svg.arrow(0, 0, 9, 9)
"""


def draw(*arguments):
    return subprocess.run([sys.executable, TOP / "common/pages/draw.py", *arguments],
                          capture_output=True,
                          text=True)


class Pictures(unittest.TestCase):

    def test_are_as_their_code_draws_them(self):
        done = draw("--check")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_are_small_and_say_what_they_show(self):
        count = 0
        for page in TOP.glob("ch*/**/*.md"):
            for alt, name in re.findall(r"!\[([^\]]*)\]\((\w+\.svg)\)", page.read_text()):
                file = page.parent / name
                root = xml.parse(file).getroot()
                if root.get("role") != "img":
                    continue  # a curve, by gnuplot
                count += 1
                self.assertGreaterEqual(len(alt), 20, f"{page}: {name}")
                self.assertLess(file.stat().st_size, 40_000, file)
                for part in ("title", "desc"):
                    self.assertTrue(root.find(SVG + part).text, f"{file} has no {part}")
                for text in root.iter(SVG + "text"):
                    self.assertGreaterEqual(float(text.get("font-size")), 12,
                                            f"{file}: {text.text}")
        self.assertGreaterEqual(count, 11)

    def test_are_in_a_page(self):
        for file in TOP.glob("ch*/**/*.svg"):
            if xml.parse(file).getroot().get("role") == "img":
                shown = "".join(page.read_text() for page in file.parent.glob("*.md"))
                self.assertIn(f"]({file.name})", shown, f"{file}: in no page")

    def test_of_requests_name_what_made_them(self):
        count = 0
        for file in TOP.glob("ch*/*/*.svg"):
            made = xml.parse(file).getroot().find(SVG + "metadata")
            if made is None:
                continue
            count += 1
            words = made.text.split()
            self.assertEqual(words[:2], ["./workbook", "access"], file)
            texts = [text.text for text in xml.parse(file).getroot().iter(SVG + "text")]
            for word in words[2:]:
                lesson, variant = word.split("/")
                source = next(TOP.glob(f"ch*/{lesson}/{variant}.cu"))
                lines = [line.strip() for line in source.read_text().splitlines()]
                self.assertIn(source.name, texts, file)
                shown = texts[texts.index(source.name) + 1]
                self.assertIn(shown, lines, f"{file}: python3 common/pages/access.py draws it anew")
        self.assertGreaterEqual(count, 3)

    def test_follow_the_code(self):
        with tempfile.TemporaryDirectory() as folder:
            lesson = pathlib.Path(folder) / "ch1_x/01_y"
            lesson.mkdir(parents=True)
            code = lesson / "kernel.cu"
            (lesson / "picture.py").write_text(PICTURE)
            code.write_text("constexpr int kTile = 32;\nreturn p ^ row\n    % 8;")
            self.assertEqual(draw("--check", folder).returncode, 1)  # it is missing
            self.assertEqual(draw(folder).returncode, 0)
            self.assertEqual(draw("--check", folder).returncode, 0)
            self.assertIn('width="32"', (lesson / "tile.svg").read_text())
            self.assertEqual([f.name for f in lesson.iterdir() if f.is_dir()], [],
                             "leaves nothing else")

            code.write_text("constexpr int kTile = 64;\nreturn p ^ row % 8;")
            stale = draw("--check", folder)
            self.assertEqual(stale.returncode, 1)
            self.assertIn("tile.svg: differs from its picture.py", stale.stdout)
            code.write_text("constexpr int kTile = 32;\nreturn p;")
            self.assertIn("has no more 'p ^ row % 8'", draw("--check", folder).stderr)
            code.write_text("return p ^ row % 8;")
            self.assertIn("has no kTile = NUMBER", draw("--check", folder).stderr)


if __name__ == "__main__":
    unittest.main()
