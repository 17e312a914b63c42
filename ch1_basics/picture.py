# A multiprocessor of an H200, for GPU.md.
from draw import picture

WARPS, REGISTERS_KIB, FP32, TENSOR, PARTS = 64, 256, 128, 4, 4  # of a multiprocessor
L1_KIB, SHARED_KIB = 256, 228


@picture(
    "multiprocessor", 376,
    "A multiprocessor: four equal parts above a common L1 cache and shared memory",
    "Each of four parts has a scheduler, 16 warp slots, 64 KiB of registers, 32 fp32 units and a"
    " tensor core. The scheduler picks a warp that is ready and issues its instruction to the"
    " units. The four parts share 256 KiB, for the L1 cache and for shared memory.")
def multiprocessor(svg):
    slots, units = WARPS // PARTS, FP32 // PARTS
    wide = 160
    svg.text(14, 24, "one multiprocessor", 15, bold=True)
    svg.legend(11, (262, "green", "a warp that is ready"),
               (432, "yellow", "a warp that waits for data"))
    for part in range(PARTS):
        x = 14 + part * (wide + 10.6)
        svg.box(x, 38, wide, 250, "paper", "line", round=6)
        svg.text(x + 10, 56, f"part {part}", 13, bold=True)
        ready = {0: (2, 9), 1: (5,), 2: (0, 7, 12), 3: (10, 14)}[part]
        svg.text(x + 10, 76, f"{slots} warp slots", 12)
        for slot in range(slots):
            svg.box(x + 10 + slot % 8 * 17.6, 82 + slot // 8 * 18, 16, 16,
                    "green" if slot in ready else "yellow")
        picked = ready[0]
        px, py = x + 10 + picked % 8 * 17.6, 82 + picked // 8 * 18
        svg.outline(px, py, 16, 16)
        svg.box(x + 10, 134, wide - 20, 24, "blue", text="scheduler", size=13)
        svg.arrow(px + 8, py + 17, px + 8, 133)
        svg.arrow(x + wide / 2, 159, x + wide / 2, 172)
        svg.box(x + 10, 174, wide - 20, 24, "violet",
                text=f"registers, {REGISTERS_KIB // PARTS} KiB", size=12)
        svg.text(x + 10, 216, f"{units} fp32 units", 12)
        for unit in range(units):
            svg.box(x + 10 + unit % 16 * 8.8, 222 + unit // 16 * 11, 7.6, 9, "orange", round=1)
        svg.box(x + 10, 250, wide - 20, 28, "red", text=f"{TENSOR // PARTS} tensor core", size=13)
        svg.line(x + wide / 2, 288, x + wide / 2, 310, "ink", 3)
    svg.box(14, 310, 672, 34, "teal",
            text=f"{L1_KIB} KiB: L1 cache and shared memory (at most {SHARED_KIB} KiB)", size=14)
    svg.text(350, 366, "In each cycle a scheduler issues one instruction of one warp that is ready,"
             " for its 32 threads.", 13, "middle")
