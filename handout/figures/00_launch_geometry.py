#!/usr/bin/env python3
"""Draws which multiprocessors work in lab 00 with one block and with a balanced grid, and the measured times.

usage: handout/figures/00_launch_geometry.py WARPGRADE      (in the kit's top folder)
"""

import sys

from svg import Svg, check, sizes

LAB, CASE = "00-warm-up", "n-131072"
OUT = "handout/student/figures/00-launch-geometry.svg"
SMS = 16  # multiprocessors of the lecture GPU


def row(svg, top, what, seconds, counters):
    blocks = int(counters["grid_blocks"])
    launch = f"<<<{blocks}, {counters['block_threads']:g}>>>, {what}"
    svg.text(24, top, launch, size=15, weight="bold")
    svg.text(756, top, f"{seconds * 1e6:.1f} µs", size=15, anchor="end", weight="bold")
    for sm in range(SMS):
        share = len(range(sm, blocks, SMS))  # blocks are assigned to SMs in turn
        x = 24 + sm * 46
        svg.rect(x, top + 14, 42, 54, "#3d7ea6" if share else "#e9ecef")
        svg.text(x + 21, top + 40, share, size=15, anchor="middle", fill="#fff" if share else "#888", weight="bold")
        svg.text(x + 21, top + 57, f"SM {sm}", size=10, anchor="middle", fill="#fff" if share else "#888")


def main(warpgrade):
    def result(source):
        return check(warpgrade, LAB, source)

    grid = result("solutions/00-warm-up/saxpy.cu")
    block = check(warpgrade, LAB, "grader/workloads/saxpy/naive.cu", "--case", CASE)
    times = next(one for one in grid["performance"] if one["case"] == CASE)
    svg = Svg(780, 222)
    svg.text(24, 28, f"y = a x + y for {sizes(LAB, CASE)['n']:,} elements: blocks on each multiprocessor (SM)", size=14)
    row(svg, 60, "a loop over all elements", times["baseline_s"], block["counters"][CASE])
    row(svg, 154, "one thread per element", times["student_s"], grid["counters"][CASE])
    svg.save(OUT)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(sys.argv[1])
