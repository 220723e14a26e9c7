#!/usr/bin/env python3
"""Draws handout/student/figures/02-tiled-matmul.svg: bytes per operation and the rate that memory allows.

Usage: 02_tiled_matmul.py [WARPGRADE]; run in the repository's root.
"""

import sys

import svg

LAB, CASE = "02-tiled-matmul", "square-256"
KERNELS = [
    ("no tiles", "grader/workloads/tiled_matmul/naive.cu"),
    ("tiles of 16", "solutions/02-tiled-matmul/tiled_matmul.cu"),
    ("tiles of 32", "solutions/02-tiled-matmul/accepted/transposed_padded_tile.cu"),
]
SERIES = [("requested by threads", "global_load_requested_bytes_per_flop", "#9ab8d8"),
          ("transferred in sectors", "global_load_transferred_bytes_per_flop", "#2b5d92")]
DRAM_GB_PER_S, PEAK_GFLOPS = 200, 1500

LEFT, WIDTH, RIGHT = 110, 280, 490
TOP, BAR_HEIGHT, GROUP_HEIGHT = 78, 17, 62


def main():
    warpgrade = sys.argv[1] if len(sys.argv) > 1 else "build/virtual/bin/warpgrade"
    picture = svg.Svg(860, 290)
    picture.text(LEFT, 24, "Bytes loaded per operation", size=15, weight="bold")
    picture.text(RIGHT, 24, "GFLOP/s that 200 GB/s allow", size=15, weight="bold")
    for i, (name, _, colour) in enumerate(SERIES):
        picture.rect(LEFT + 165 * i, 38, 12, 12, colour)
        picture.text(LEFT + 165 * i + 17, 49, name, size=12)
    bottom = TOP + len(KERNELS) * GROUP_HEIGHT - 14
    for row, (title, source) in enumerate(KERNELS):
        counters = svg.check(warpgrade, LAB, source)["counters"][CASE]
        picture.text(LEFT - 12, TOP + row * GROUP_HEIGHT + 24, title, anchor="end", weight="bold")
        for i, (_, counter, colour) in enumerate(SERIES):
            y = TOP + row * GROUP_HEIGHT + i * (BAR_HEIGHT + 3)
            value = counters[counter]
            rate = DRAM_GB_PER_S / value
            bars = [(LEFT, value / 4 * WIDTH, f"{value:.3g}"), (RIGHT, rate / PEAK_GFLOPS * WIDTH, f"{rate:,.0f}")]
            for x, length, label in bars:
                length = min(length, WIDTH * 1.1)
                picture.rect(x, y, length, BAR_HEIGHT, colour)
                picture.text(x + length + 5, y + 13, label, size=12)
    for x in (LEFT, RIGHT):
        picture.line(x, TOP - 8, x, bottom)
    picture.line(RIGHT + WIDTH, TOP - 8, RIGHT + WIDTH, bottom, stroke="#b03030", width=1.5)
    picture.text(RIGHT + WIDTH, bottom + 16, "peak: 1,500", size=12, anchor="middle",
                 fill="#b03030")
    m, k, n = svg.sizes(LAB, CASE).values()
    picture.text(LEFT, 282, f"P = M × N, {m} × {k} × {n}, on the virtual GPU, lecture profile", size=12, fill="#555")
    picture.save("handout/student/figures/02-tiled-matmul.svg")


if __name__ == "__main__":
    main()
