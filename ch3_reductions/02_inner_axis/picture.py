# How shuffles sum up a team of lanes: warp_reduce of shuffle.cuh.
from draw import picture, require


@picture(
    "halving", 340, "Three shuffles add up the values of eight lanes",
    "Eight lanes have a value each. At distance 4, 2 and 1 each lane adds the value of the lane"
    " whose number differs in that one bit. After each shuffle half as many different sums are"
    " left, and after the third all lanes have the sum of all.")
def halving(svg):
    require("../shared/shuffle.cuh", "for (int distance = lanes / 2; distance > 0; distance /= 2)")
    require("../shared/shuffle.cuh", "__shfl_xor_sync(0xFFFF'FFFFu, value, distance)")
    fills = ("red", "orange", "yellow", "green", "teal", "blue", "violet", "pink")
    left, side, high, step = 176, 64, 30, 88
    values = [(v, frozenset([lane])) for lane, v in enumerate((3, 1, 4, 1, 5, 9, 2, 6))]
    lanes = len(values)

    def row(y, word):
        svg.text(14, y + 20, word, 13)
        for lane, (value, _) in enumerate(values):
            # Lanes with the same sum have the same colour.
            first = next(i for i, v in enumerate(values) if v[1] == values[lane][1])
            svg.box(left + lane * side, y, side - 14, high, fills[first], text=value, size=15)

    for lane in range(lanes):
        svg.text(left + lane * side + (side - 14) / 2, 18, f"lane {lane}", 12, "middle")
    y, distance = 26, lanes // 2
    row(y, "its part of the row")
    while distance > 0:
        below = y + step + high - 30
        for lane in range(lanes):
            middle = left + (side - 14) / 2
            own, other = middle + lane * side, middle + (lane ^ distance) * side
            svg.line(own, y + high + 2, own, below - 4, "line", 1.5)
            svg.arrow(other, y + high + 2, own + (4 if other > own else -4), below - 2,
                      "ink" if lane < distance else "line", 1.2)
        values = [(values[i][0] + values[i ^ distance][0], values[i][1] | values[i ^ distance][1])
                  for i in range(lanes)]
        y = below
        row(y, f"shuffle at distance {distance}")
        count = len({v[1] for v in values})
        svg.text(14, y + 37, f"{count} different sum{'s' if count > 1 else ''} left", 12)
        distance //= 2
