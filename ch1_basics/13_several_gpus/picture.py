# An all-reduce in a ring of four ranks: the steps of ring.h.
from draw import picture, require

RANKS = 4
FILLS = ("blue", "orange", "green", "pink")


def states():
    """After each step: whose gradients data[rank][piece] sums up, and what each rank sends."""
    data = [[{rank} for _ in range(RANKS)] for rank in range(RANKS)]
    seen = []
    for step in range(2 * (RANKS - 1)):
        adds = step < RANKS - 1
        sends = [(rank - step if adds else rank + 1 - (step - (RANKS - 1))) % RANKS
                 for rank in range(RANKS)]
        seen.append(([[set(p) for p in rank] for rank in data], sends))
        sent = [set(data[rank][sends[rank]]) for rank in range(RANKS)]
        for rank in range(RANKS):
            to, piece = (rank + 1) % RANKS, sends[rank]
            data[to][piece] = data[to][piece] | sent[rank] if adds else sent[rank]
    assert all(piece == set(range(RANKS)) for rank in data for piece in rank)
    return seen + [(data, None)]


@picture(
    "ring", 498, "An all-reduce in a ring of four ranks, in four frames",
    "Each rank has four pieces of its own gradient. At a time each rank sends one piece to the "
    "next rank, which adds it to its own. After three sends each rank has the whole sum of one "
    "piece. In three more sends the sums go around, and then all ranks have all sums.")
def ring(svg):
    require("ring.h", "send = (rank_ - step + ranks_) % ranks_")
    require("ring.h", "send = (rank_ + 1 - step + ranks_) % ranks_")
    all_states = states()
    svg.text(14, 24, "a piece holds the gradients of rank", 13)
    svg.legend(11, *((228 + 46 * rank, FILLS[rank], rank) for rank in range(RANKS)))
    svg.arrow(430, 19, 460, 19)
    svg.text(468, 24, "is sent to the next rank", 13)
    half = RANKS - 1
    frames = ((0, "start"), (1, "after 1 send"), (half, f"after {half} sends: a whole sum in each"),
              (2 * half, f"after {2 * half} sends: all sums in all ranks"))
    for i, (step, word) in enumerate(frames):
        left, top = 14 + i % 2 * 350, 44 + i // 2 * 228
        svg.text(left, top + 14, f"{i + 1}. {word}", 14, bold=True)
        data, sends = all_states[step]
        wide, high, gap, x0 = 42, 32, 24, left + 70
        for rank in range(RANKS):
            svg.text(x0 + rank * (wide + gap) + wide / 2, top + 38, f"rank {rank}", 12, "middle")
        for piece in range(RANKS):
            y = top + 46 + piece * (high + 6)
            svg.text(left, y + 21, f"piece {piece}", 12)
            for rank in range(RANKS):
                x = x0 + rank * (wide + gap)
                for part in range(RANKS):
                    inside = part in data[rank][piece]
                    svg.box(x + part * wide / RANKS, y, wide / RANKS, high,
                            FILLS[part] if inside else "paper", round=0)
                whole = len(data[rank][piece]) == RANKS
                svg.outline(x, y, wide, high, "ink" if whole else "line", 2 if whole else 1)
                if sends and sends[rank] == piece:
                    middle = y + high / 2
                    svg.arrow(x + wide + 2, middle, x + wide + gap - 2, middle)
                    if rank == RANKS - 1:  # around to the first
                        svg.arrow(x0 - gap + 2, middle, x0 - 2, middle)
