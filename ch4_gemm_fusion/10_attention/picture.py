# How the two warpgroups of `optimized` take turns, as their named barriers order them.
from draw import constant, picture


@picture(
    "ping_pong", 330, "Ping-pong: while one warpgroup is at its softmax, the other one multiplies",
    "Above, one warpgroup alone: the tensor cores are idle while it computes a softmax. Below, two "
    "warpgroups take turns: each starts its two products when the other one has started its own, "
    "and computes its softmax meanwhile, so the tensor cores are never idle.")
def ping_pong(svg):
    groups = constant("optimized.cu", "kConsumers")
    left, unit, high = 118, 40, 26
    fills = (("blue", "teal"), ("orange", "yellow"))  # products, softmax of each warpgroup
    last = 14

    def bar(y, start, length, fill, text):
        length = min(length, last - start)
        if length > 0:
            svg.box(left + start * unit, y, length * unit - 2, high, fill, text=text, size=12)

    def turns(y, count, softmax):
        """A turn: the products of one warpgroup, 2 units of time, and then its softmax."""
        free, ready = 0, [0] * count
        core = y + count * 32 + 6
        for turn in range(2 * last):
            g = turn % count
            start = max(free, ready[g])
            if start >= last:
                break
            if start > free:
                svg.text(left + (free + start) / 2 * unit, core + 18, "idle", 12, "middle",
                         fill="strong")
            bar(y + g * 32, start, 2, fills[g][0], "products")
            bar(y + g * 32, start + 2, softmax, fills[g][1], "softmax")
            bar(core, start, 2, fills[g][0], g)
            free, ready[g] = start + 2, start + 2 + softmax
        for g in range(count):
            svg.text(14, y + 18 + g * 32, f"warpgroup {g}", 13)
        svg.text(14, core + 18, "tensor cores", 13)
        return core + high

    svg.text(14, 28, "one warpgroup alone", bold=True)
    svg.text(602, 28, "time (a sketch, not to scale)", 13, "end")
    svg.arrow(610, 23, 686, 23)
    turns(42, 1, 2)
    svg.text(14, 150, f"{groups} warpgroups take turns", bold=True)
    bottom = turns(164, groups, 2)
    svg.text(14, bottom + 28,
             "products: scores of the next tile of keys (Q K), and weights of this tile times its"
             " values (P V)", 12)
    svg.text(14, bottom + 46,
             "softmax: maxima, exponentials, sums, and the correction of what came before", 12)
