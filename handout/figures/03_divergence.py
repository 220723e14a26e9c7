#!/usr/bin/env python3
"""Draws which warps diverge in each step of the two trees of lab 03, and compares the count with a run.

usage: handout/figures/03_divergence.py WARPGRADE      (in the kit's top folder)
"""

import sys

from svg import Svg, check

LAB, CASE = "03-reduction-divergence", "blocks-8192"
OUT = "handout/student/figures/03-divergence.svg"
WARPS, LANES, THREADS = 16, 32, 512
STRIDES = [1, 2, 4, 8, 16, 32, 64, 128, 256]
COLOURS = {"diverges": "#e07b39", "adds": "#3d7ea6", "idle": "#e9ecef"}
CELL, GAP = 30, 2


def state(warp, adds):
    lanes = [adds(warp * LANES + lane) for lane in range(LANES)]
    return "adds" if all(lanes) else "diverges" if any(lanes) else "idle"


def panel(svg, left, title, strides, adds, counters):
    top = 84
    svg.text(left, 40, title, size=16, weight="bold")
    svg.text(left, 68, "stride", size=12)
    total = 0
    for column, stride in enumerate(strides):
        x = left + 62 + column * (CELL + GAP)
        svg.text(x + CELL / 2, 68, stride, size=12, anchor="middle")
        states = [state(warp, lambda t, s=stride: adds(t, s)) for warp in range(WARPS)]
        for warp, one in enumerate(states):
            svg.rect(x, top + warp * 18, CELL, 16, COLOURS[one])
        diverging = states.count("diverges")
        total += diverging
        svg.text(x + CELL / 2, top + WARPS * 18 + 14, diverging, size=12, anchor="middle", weight="bold")
    for warp in range(WARPS):
        svg.text(left, top + warp * 18 + 12, f"warp {warp}", size=11, fill="#555")
    svg.text(left, top + WARPS * 18 + 14, "diverging", size=11, fill="#555")
    measured = counters["divergent_branches"] / counters["blocks"]
    if measured != total + 1:
        raise SystemExit(f"the picture has {total} + 1 divergent branches, but the run counted {measured}")
    below = top + WARPS * 18 + 42
    svg.text(left, below, f"{total} divergent branches in the tree, 1 where thread 0 stores:", size=13)
    svg.text(left, below + 20, f"{measured:g} per block were counted", size=13, weight="bold")
    svg.text(left, below + 40, f"{counters['active_lanes_per_instruction']:.1f} of 32 lanes active, "
             f"{counters['warp_instructions'] / (counters['blocks'] * THREADS):.2f} warp instructions per element",
             size=13)


def main(warpgrade):
    def counters(source):
        return check(warpgrade, LAB, source, "--case", CASE)["counters"][CASE]

    svg = Svg(830, 496)
    panel(svg, 24, "Interleaved: if (t % (2 * stride) == 0)", STRIDES, lambda t, s: t % (2 * s) == 0,
          counters("grader/workloads/reduction/naive.cu"))
    panel(svg, 436, "Contiguous: if (t < stride)", STRIDES[::-1], lambda t, s: t < s,
          counters("solutions/03-reduction-divergence/reduction.cu"))
    x = 24
    for one, words in (("adds", "all 32 lanes add"), ("diverges", "some lanes add: the warp diverges"),
                       ("idle", "no lane adds: the warp continues immediately")):
        svg.rect(x, 470, 16, 14, COLOURS[one])
        svg.text(x + 22, 482, words, size=12)
        x += 40 + 6.6 * len(words)
    svg.save(OUT)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(sys.argv[1])
