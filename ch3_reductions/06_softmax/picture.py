# Online softmax: two parts of a row, each with its maximum and sum, are merged.
from math import exp

from draw import picture

ROW = ((1, 3, 2, 3), (5, 2, 4, 1))


def part(x):
    return max(x), sum(exp(v - max(x)) for v in x)


def combine(a, b):  # as online.cuh does it
    largest = max(a[0], b[0])
    return largest, a[1] * exp(a[0] - largest) + b[1] * exp(b[0] - largest)


@picture(
    "merge", 322, "Two partial results of a softmax are merged into one",
    "A row of eight numbers is in two parts. One has the maximum 3, the other 5. Before the sums"
    " are added, that of the smaller maximum is multiplied by exp(3 - 5). The quotients need the"
    " result and the row once more, so the row must wait somewhere.")
def merge(svg):
    parts = [part(x) for x in ROW]
    whole = combine(*parts)
    assert abs(whole[1] - part(ROW[0] + ROW[1])[1]) < 1e-9
    for i, (x, fill) in enumerate(zip(ROW, ("blue", "orange"))):
        left = 14 + 346 * i
        svg.text(left, 24, f"thread {i} reads its part of the row", 13)
        for j, value in enumerate(x):
            svg.box(left + 40 * j, 34, 38, 30, fill, text=value)
        m, s = parts[i]
        svg.arrow(left + 79, 66, left + 79, 90)
        svg.box(left, 92, 158, 46, fill)
        svg.text(left + 79, 111, f"maximum m = {m}", 13, "middle")
        svg.text(left + 79, 130, f"sum s = {s:.3f}", 13, "middle")
        svg.arrow(left + 79, 140, 264 + (20 if i else -20), 186)
    (m0, s0), (m1, s1) = parts
    factor = exp(m0 - m1)
    for i, line in enumerate(("smaller maximum:", "its sum counts",
                              f"exp({m0} - {m1}) = {factor:.3f} times")):
        svg.text(14, 156 + 14 * i, line, 12)
    svg.text(394, 176, "larger maximum: its sum stays", 12)
    svg.box(124, 188, 280, 46, "green")
    svg.text(264, 207, f"m = {whole[0]}", 13, "middle")
    svg.text(264, 226, f"s = {s0:.3f} x {factor:.3f} + {s1:.3f} = {whole[1]:.3f}", 13, "middle")
    svg.arrow(264, 236, 264, 262)
    svg.text(14, 256, "each element: exp(x - m) / s", 13)
    for i, (x, fill) in enumerate(zip(ROW, ("blue", "orange"))):
        for j, value in enumerate(x):
            svg.box(14 + 62 * (4 * i + j), 268, 60, 30, fill,
                    text=f"{exp(value - whole[0]) / whole[1]:.3f}", size=13)
    svg.line(664, 49, 524, 49, "strong", 1.5, True)
    svg.line(664, 49, 664, 283, "strong", 1.5, True)
    svg.arrow(664, 283, 514, 283, "strong", 1.5, True)
    svg.text(656, 222, "x is needed again:", 12, "end", fill="strong")
    svg.text(656, 238, "where does it wait until then?", 12, "end", fill="strong")
