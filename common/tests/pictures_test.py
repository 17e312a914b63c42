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
        for script in TOP.glob("ch*/**/picture.py"):
            shown = "".join(page.read_text() for page in script.parent.glob("*.md"))
            for name in re.findall(r'@picture\(\s*"(\w+)"', script.read_text()):
                count += 1
                file = script.parent / f"{name}.svg"
                self.assertLess(file.stat().st_size, 40_000, file)
                root = xml.parse(file).getroot()
                for part in ("title", "desc"):
                    self.assertTrue(root.find(SVG + part).text, f"{file} has no {part}")
                self.assertRegex(shown, rf"!\[[^\]]{{20,}}\]\({name}\.svg\)", f"{file}: in no page")
                for text in root.iter(SVG + "text"):
                    self.assertGreaterEqual(float(text.get("font-size")), 12,
                                            f"{file}: {text.text}")
        self.assertGreaterEqual(count, 1)

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
