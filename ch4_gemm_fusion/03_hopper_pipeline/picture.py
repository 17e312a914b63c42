# How a ring of stages hides the way of a tile.
from draw import constant, picture, require


@picture(
    "pipeline", 372,
    "Time of one block: the baseline waits for each tile, step 1 has four tiles on their way",
    "Above, one block of the baseline waits for a tile, multiplies, and waits for the next. Below, step 1"
    " has four stages. A stage is filled again as soon as both consumers have read it, so after the"
    " first tile has come the tensor cores multiply without a pause.")
def pipeline(svg):
    stages = constant("step1_specialized.cu", "kStages")
    require("step1_specialized.cu", "s.empty[ring.stage].wait(ring.parity ^ 1)")
    require("step1_specialized.cu", "s.full[ring.stage].wait(ring.parity)")
    left, unit, high = 104, 46, 26
    load = stages - 1  # units of time; a product takes one

    def bar(y, start, length, fill, text=""):
        svg.box(left + start * unit, y, length * unit - 2, high, fill, text=text, size=12)

    svg.legend(10, (14, "yellow", "a tile is on its way"), (178, "grey", "it is there"),
               (284, "blue", "wgmma multiplies it"))
    svg.arrow(610, 18, 686, 18)
    svg.text(602, 23, "time (a sketch, not to scale)", 13, "end")
    svg.text(14, 58, "baseline: one block waits for each tile", bold=True)
    end = 0
    for i in range(3):
        bar(70, end, load, "yellow", f"tile {i}")
        bar(100, end + load, 1, "blue", i)
        end += load + 1
    svg.text(14, 88, "loads", 13)
    svg.text(14, 118, "tensor cores", 13)
    svg.text(14, 162, f"step 1: {stages} stages, which are filled while others are multiplied",
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
