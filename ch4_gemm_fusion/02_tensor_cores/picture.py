# The swizzle.
from draw import picture, require

COLOURS = ("red", "orange", "yellow", "green", "teal", "blue", "violet", "pink")


@picture(
    "swizzle", 392, "The swizzle: where the 16-byte pieces of eight rows are in shared memory",
    "Two grids of eight rows and eight places of four banks. Without a swizzle piece 0 of all rows "
    "is in banks 0 to 3. With it the piece p of row r is at place p xor r, so piece 0 is on the "
    "diagonal, and its eight rows are in eight different groups of banks.")
def swizzle(svg):
    require("step3_mma.cu", "(p ^ row % 8) * 8")
    side = 33
    for left, title, place in ((62, "piece p of row r at place p", lambda p, r: p),
                               (412, "at place p xor (r % 8)", lambda p, r: p ^ r % 8)):
        svg.text(left, 24, title, 15, bold=True)
        svg.text(left, 46, "a place has 16 bytes, four banks, from bank", 12)
        for i in range(8):
            svg.text(left + i * side + side / 2 - 1, 64, 4 * i, 12, "middle")
        for r in range(8):
            y = 72 + r * side
            svg.text(left - 8, y + 22, f"row {r}", 12, "end")
            for p in range(8):
                svg.box(left + place(p, r) * side, y, side - 2, side - 2, COLOURS[p], text=p)
            svg.outline(left + place(0, r) * side, y, side - 2, side - 2, thick=2.5)
        groups = len({place(0, r) for r in range(8)})
        svg.text(left, 358, "ldmatrix reads piece 0 of eight rows (outlined):", 12)
        said = "all eight in the same four banks" if groups == 1 else f"{groups} groups of banks"
        turns = 8 // groups
        svg.text(left, 377, f"{said}: {turns} turn{'s' if turns > 1 else ''}", 13, bold=True)
