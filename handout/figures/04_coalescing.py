#!/usr/bin/env python3
"""Draws handout/student/figures/04-roofline.svg: the positions of the two sums of lab 04 on the roofline of the lecture
GPU, with the naive kernels and with the solution. All numbers come from `warpgrade check`.

    handout/figures/04_coalescing.py [warpgrade]
"""

import math
import sys
from pathlib import Path

from svg import Svg, check

ROOT = Path(__file__).resolve().parents[2]
LAB = "04-coalescing"
SOURCES = {"naive": ROOT / "grader/workloads/coalescing/naive.cu",
           "solution": ROOT / "solutions" / LAB / "coalescing.cu"}
CASES = {"matvec-128x1024": "matrix × vector", "corner-120x504x120": "corner turning"}

PEAK_GFLOPS, BANDWIDTH_GB_S = 1500, 200  # the lecture GPU

# The plot in pixels, and the ranges of its logarithmic axes.
LEFT, TOP, WIDTH, HEIGHT = 80, 30, 560, 330
X_FROM, X_TO, Y_FROM, Y_TO = 0.03, 100, 3, 3000
COLOURS = {"naive": "#c0392b", "solution": "#1f6fb2"}


def x_of(intensity):
    return LEFT + WIDTH * math.log(intensity / X_FROM) / math.log(X_TO / X_FROM)


def y_of(gflops):
    return TOP + HEIGHT * (1 - math.log(gflops / Y_FROM) / math.log(Y_TO / Y_FROM))


def measured(warpgrade):
    """Returns (case, key of SOURCES) → (operations per DRAM byte, GFLOP/s)."""
    points = {}
    for version, source in SOURCES.items():
        for case in CASES:  # each alone: the naive program's failures before it would skip some
            counts = check(warpgrade, LAB, str(source), "--case", case)["counters"][case]
            points[case, version] = counts["flops_per_dram_byte"], counts["flops"] / counts["kernel_s"] / 1e9
    return points


def draw_axes(svg):
    for x in (0.1, 1, 10, 100):
        svg.line(x_of(x), TOP, x_of(x), TOP + HEIGHT, stroke="#e4e4e4")
        svg.text(x_of(x), TOP + HEIGHT + 18, f"{x:g}", anchor="middle", size=12)
    for y in (10, 100, 1000):
        svg.line(LEFT, y_of(y), LEFT + WIDTH, y_of(y), stroke="#e4e4e4")
        svg.text(LEFT - 8, y_of(y) + 4, f"{y:,}", anchor="end", size=12)
    svg.line(LEFT, TOP, LEFT, TOP + HEIGHT)
    svg.line(LEFT, TOP + HEIGHT, LEFT + WIDTH, TOP + HEIGHT)
    svg.text(LEFT + WIDTH / 2, TOP + HEIGHT + 40, "operations per byte of DRAM traffic", anchor="middle")
    svg.text(LEFT - 60, TOP - 12, "GFLOP/s")


def draw_roof(svg):
    ridge = PEAK_GFLOPS / BANDWIDTH_GB_S
    svg.line(x_of(X_FROM), y_of(X_FROM * BANDWIDTH_GB_S), x_of(ridge), y_of(PEAK_GFLOPS), stroke="#333", width=2)
    svg.line(x_of(ridge), y_of(PEAK_GFLOPS), LEFT + WIDTH, y_of(PEAK_GFLOPS), stroke="#333", width=2)
    svg.text(LEFT + WIDTH - 4, y_of(PEAK_GFLOPS) - 8, f"peak: {PEAK_GFLOPS:,} GFLOP/s", anchor="end", size=12)
    svg.text(x_of(1.1), y_of(320), f"memory delivers {BANDWIDTH_GB_S} GB/s", anchor="end", size=12)
    svg.line(x_of(ridge), y_of(PEAK_GFLOPS), x_of(ridge), TOP + HEIGHT, stroke="#aaa")
    svg.text(x_of(ridge) + 6, TOP + HEIGHT - 8, f"ridge: {ridge:g}", size=12, fill="#666")


def draw_points(svg, points):
    for case, name in CASES.items():
        (x0, y0), (x1, y1) = (points[case, version] for version in SOURCES)
        svg.line(x_of(x0), y_of(y0), x_of(x1), y_of(y1), stroke="#bbb", width=1.5)
    for (case, version), (x, y) in points.items():
        svg.rect(x_of(x) - 5, y_of(y) - 5, 10, 10, fill=COLOURS[version])
        svg.text(x_of(x) + 12, y_of(y) + 14, f"{CASES[case]}, {version}", size=12, fill=COLOURS[version], weight="bold")
        svg.text(x_of(x) + 12, y_of(y) + 29, f"{x:.2g} per byte, {y:.3g} GFLOP/s", size=11, fill="#444")


def main():
    warpgrade = sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/virtual/bin/warpgrade"
    svg = Svg(720, 420)
    draw_axes(svg)
    draw_roof(svg)
    draw_points(svg, measured(str(warpgrade)))
    svg.save(ROOT / "handout/student/figures/04-roofline.svg")


if __name__ == "__main__":
    main()
