# Which values of C a block, a warp and a thread make, from the constants of each step.
from draw import constant, picture, require

SCALE = 1.5  # pixels per value of C
UPPER, LOWER = 60, 338  # where the two rows of tiles begin


def rectangles(cells):
    """(row, column) pairs as rectangles [row, column, rows, columns]."""
    runs = {}
    for row, column in sorted(cells):
        start = next((c for c, end in runs.get(row, {}).items() if end == column), None)
        runs.setdefault(row, {})[column if start is None else start] = column + 1
    found = []
    for row in sorted(runs):
        for start, end in sorted(runs[row].items()):
            above = [r for r in found if (r[0] + r[2], r[1], r[3]) == (row, start, end - start)]
            if above:
                above[0][2] += 1
            else:
                found.append([row, start, 1, end - start])
    return found


def tile(row, column, rows, columns):
    return {(row + i, column + j) for i in range(rows) for j in range(columns)}


# Each returns the rows and columns of a block's tile, and a function from a thread to its values.
def baseline():
    side = constant("baseline.cu", "kSide")
    return side, side, lambda t: {(t % side, t // side)}  # x counts rows


def step1():
    rows, columns = (constant("step1_coalesced.cu", n) for n in ("kRows", "kColumns"))
    return rows, columns, lambda t: {(t // columns, t % columns)}


def step2():
    side = constant("step2_shared_tile.cu", "kTile")
    return side, side, lambda t: {(t // side, t % side)}


def step3():
    side, each = (constant("step3_register_column.cu", n) for n in ("kTile", "kEach"))
    require("step3_register_column.cu", "x = threadIdx.x % kTile, y = threadIdx.x / kTile * kEach")
    return side, side, lambda t: tile(t // side * each, t % side, each, 1)


def step4():
    side, each = (constant("step4_register_tile.cu", n) for n in ("kTile", "kEach"))
    require("step4_register_tile.cu", "x = threadIdx.x % kSide * kEach,")
    require("step4_register_tile.cu", "y = threadIdx.x / kSide * kEach;")
    require("step5_vectorized.cu", f"kTile = {side}, kDepth = 8, kEach = {each}, kSide")
    require("step5_vectorized.cu", "y = threadIdx.x / kSide * kEach;")
    across = side // each
    return side, side, lambda t: tile(t // across * each, t % across * each, each, each)


def step6():
    side, each, down, across = (
        constant("step6_warp_tiles.cu", n) for n in ("kTile", "kEach", "kLaneRows", "kLaneColumns"))
    for file in ("step6_warp_tiles.cu", "step7_double_buffered.cu"):
        require(file, f"kTile = {side}, kDepth = 8, kEach = {each},")
        require(file, f"kLaneRows = {down}, kLaneColumns = {across};")
        require(file, "lane / kLaneColumns * 4")
        require(file, "lane % kLaneColumns * 4")

    def values(t):  # of the first warp
        y, x = t // across * 4, t % across * 4
        return {
            v for i in range(0, each, 4) for j in range(0, each, 4)
            for v in tile(y + i * down, x + j * across, 4, 4)
        }

    return side, side, values


def optimized():
    names = ("kRows", "kColumns", "kEachRows", "kEachColumns", "kLaneRows", "kLaneColumns")
    rows, columns, each_rows, each_columns, down, across = (
        constant("optimized.cu", n) for n in names)
    require("optimized.cu", "((lane >> 1 & 1) + (lane >> 2 & 6)) * 4")
    require("optimized.cu", "((lane & 1) + (lane >> 1 & 2)) * 4")

    def values(t):
        y, x = ((t >> 1 & 1) + (t >> 2 & 6)) * 4, ((t & 1) + (t >> 1 & 2)) * 4
        return {
            v for i in range(0, each_rows, 4) for j in range(0, each_columns, 4)
            for v in tile(y + i * down, x + j * across, 4, 4)
        }

    return rows, columns, values


@picture(
    "tiles", 562, "Values of C that a block, a warp and a thread make",
    "One tile of C per step, all in the same scale. From the baseline to optimized the tile of a "
    "block grows from 16 by 16 to 128 by 256 values, a thread's part from one value to 8 by 16, "
    "and a warp's part becomes nearly a square.")
def tiles(svg):
    svg.legend(12, (14, "grey", "a block's tile of C"), (180, "blue", "its first warp"),
               (310, "strong", "its first thread"))
    svg.text(686, 25, "rows x columns, all in the same scale", 13, "end")
    steps = ((14, UPPER, "baseline", baseline), (128, UPPER, "step 1", step1),
             (242, UPPER, "step 2", step2), (356, UPPER, "step 3", step3),
             (486, UPPER, "steps 4 and 5", step4), (14, LOWER, "steps 6 and 7", step6),
             (296, LOWER, "optimized", optimized))
    for x, y, name, step in steps:
        rows, columns, values = step()
        warp, thread = {v for t in range(32) for v in values(t)}, values(0)
        svg.text(x, y - 8, name, bold=True)
        svg.box(x, y, columns * SCALE, rows * SCALE, "grey", "line", round=0)
        for fill, cells in (("blue", warp), ("strong", thread)):
            for row, column, down, across in rectangles(cells):
                svg.box(x + column * SCALE, y + row * SCALE, across * SCALE, down * SCALE, fill,
                        round=0)

        def shape(cells):
            down = len({row for row, _ in cells})
            return f"{down} x {len(cells) // down}"

        lines = [f"block {rows} x {columns}", f"warp {shape(warp)}", f"thread {shape(thread)}"]
        for i, line in enumerate(lines if y == UPPER else [", ".join(lines)]):
            svg.text(x, y + rows * SCALE + 18 + 17 * i, line, 13)
    svg.text(14, 240, "A tile of R rows and C columns: a step along k loads", 13)
    svg.text(14, 258, "R + C values for R x C multiply-adds.", 13)
