#!/usr/bin/env python3
"""Draws handout/student/figures/06-min-plus.svg: bytes per sum and useful operations per clock of the lab's versions.

Usage: 06_min_plus.py [WARPGRADE]; run in the repository's root.
"""

import sys

import svg

LAB, CASE = "06-min-plus", "v2-192-mixed"
VERSIONS = [  # title, description, a source whose `step` is that version
    ("version 0", "neighbouring rows", "grader/workloads/min_plus/naive.cu"),
    ("version 1", "neighbouring columns", "solutions/06-min-plus/wrong/version_1_again.cu"),
    ("version 2", "8 × 8 in registers", "solutions/06-min-plus/min_plus.cu"),
]
BYTES = [("asked for by threads", "global_load_requested_bytes_per_min_plus", "#9ab8d8"),
         ("moved in sectors", "global_load_transferred_bytes_per_min_plus", "#2b5d92")]
OPERATIONS = [("kernels", "useful_operations_per_clock", "#2e7d5b"),
              ("kernels and copies", "useful_operations_per_call_clock", "#a8d5bf")]
PEAK = 512  # 16 SMs × 32 lanes

TOP, BAR_HEIGHT, GROUP_HEIGHT = 78, 17, 62


def panel(picture, left, width, title, series, rows, most):
    """Draws horizontal bars: one group per version, one bar per entry of `series`. The value `most` is drawn `width` long."""
    picture.text(left, 24, title, size=15, weight="bold")
    x = left
    for name, _, colour in series:
        picture.rect(x, 38, 12, 12, colour)
        picture.text(x + 17, 49, name, size=12)
        x += 32 + 6.4 * len(name)
    for row, counters in enumerate(rows):
        for i, (_, counter, colour) in enumerate(series):
            value = counters[counter]
            y = TOP + row * GROUP_HEIGHT + i * (BAR_HEIGHT + 3)
            length = max(value / most * width, 1)
            picture.rect(left, y, length, BAR_HEIGHT, colour)
            picture.text(left + length + 5, y + 13, f"{value:.3g}", size=12)
    picture.line(left, TOP - 8, left, TOP + 3 * GROUP_HEIGHT - 14)


def main():
    warpgrade = sys.argv[1] if len(sys.argv) > 1 else "build/virtual/bin/warpgrade"
    rows = [svg.check(warpgrade, LAB, source)["counters"][CASE] for _, _, source in VERSIONS]

    picture = svg.Svg(880, 290)
    for row, (title, what, _) in enumerate(VERSIONS):
        y = TOP + row * GROUP_HEIGHT
        picture.text(150, y + 15, title, anchor="end", weight="bold")
        picture.text(150, y + 33, what, size=12, anchor="end", fill="#555")
    panel(picture, 162, 240, "Bytes loaded per sum", BYTES, rows, 17)
    panel(picture, 490, 320, "Useful operations per clock", OPERATIONS, rows, PEAK)
    picture.line(490 + 320, TOP - 8, 490 + 320, TOP + 3 * GROUP_HEIGHT - 14, stroke="#b03030", width=1.5)
    picture.text(490 + 320, TOP + 3 * GROUP_HEIGHT + 2, f"{PEAK}: all lanes busy", size=12, anchor="middle", fill="#b03030")
    picture.text(162, 282, f"n = {svg.sizes(LAB, CASE)['n']:,} on the virtual GPU, lecture profile; an addition and a minimum are two useful operations",
                 size=12, fill="#555")
    picture.save("handout/student/figures/06-min-plus.svg")


if __name__ == "__main__":
    main()
