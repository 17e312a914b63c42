# The swizzle of step 1, and how step 3's ring of stages hides the way of a tile.
from draw import constant, picture, require

COLOURS = ("red", "orange", "yellow", "green", "teal", "blue", "violet", "pink")


@picture(
    "swizzle", 392, "The swizzle: where the 16-byte pieces of eight rows are in shared memory",
    "Two grids of eight rows and eight places of four banks. Without a swizzle piece 0 of all rows "
    "is in banks 0 to 3. With it the piece p of row r is at place p xor r, so piece 0 is on the "
    "diagonal, and its eight rows are in eight different groups of banks.")
def swizzle(svg):
    require("step1_mma.cu", "(p ^ row % 8) * 8")
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


@picture(
    "pipeline", 372,
    "Time of one block: step 2 waits for each tile, step 3 has four tiles on their way",
    "Above, one block of step 2 waits for a tile, multiplies, and waits for the next. Below, step 3"
    " has four stages. A stage is filled again as soon as both consumers have read it, so after the"
    " first tile has come the tensor cores multiply without a pause.")
def pipeline(svg):
    stages = constant("step3_specialized.cu", "kStages")
    require("step3_specialized.cu", "s.empty[ring.stage].wait(ring.parity ^ 1)")
    require("step3_specialized.cu", "s.full[ring.stage].wait(ring.parity)")
    left, unit, high = 104, 46, 26
    load = stages - 1  # units of time; a product takes one

    def bar(y, start, length, fill, text=""):
        svg.box(left + start * unit, y, length * unit - 2, high, fill, text=text, size=12)

    svg.legend(10, (14, "yellow", "a tile is on its way"), (178, "grey", "it is there"),
               (284, "blue", "wgmma multiplies it"))
    svg.arrow(610, 18, 686, 18)
    svg.text(602, 23, "time (a sketch, not to scale)", 13, "end")
    svg.text(14, 58, "step 2: one block waits for each tile", bold=True)
    end = 0
    for i in range(3):
        bar(70, end, load, "yellow", f"tile {i}")
        bar(100, end + load, 1, "blue", i)
        end += load + 1
    svg.text(14, 88, "loads", 13)
    svg.text(14, 118, "tensor cores", 13)
    svg.text(14, 162, f"step 3: {stages} stages, which are filled while others are multiplied",
             bold=True)
    read = [0] * stages  # when both consumers have read a stage
    done = 0
    top = 174
    for i in range(4 * stages):
        stage = i % stages
        start, y = read[stage], top + stage * 30
        begin = max(done, start + load)
        if begin + 1 > 12.7:
            break
        bar(y, start, load, "yellow", f"tile {i}")
        if begin > start + load:
            bar(y, start + load, begin - start - load, "grey")
        bar(y, begin, 1, "blue", i)
        bar(top + stages * 30 + 8, begin, 1, "blue", i)
        read[stage] = done = begin + 1
    for stage in range(stages):
        svg.text(14, top + 18 + stage * 30, f"stage {stage}", 13)
    svg.text(14, top + stages * 30 + 26, "tensor cores", 13)
    y = top + stages * 30 + 62
    for at in (load, load + 1):
        svg.line(left + at * unit - 1, top - 4, left + at * unit - 1, y - 14, "ink", 1.2, True)
    svg.text(left + load * unit - 6, y, "full[0]: the bytes are there", 12, "end")
    svg.text(left + (load + 1) * unit - 6, y,
             "empty[0]: both consumers have read them, the next load begins", 12)
