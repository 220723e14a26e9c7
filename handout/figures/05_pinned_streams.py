#!/usr/bin/env python3
"""Draws timelines for 05-pinned-streams: one step after another, two streams breadth-first, three sets of buffers.

Builds each source with a small main program, and runs it on the lecture GPU with one or two copy engines.
`warpgrade run --timeline` draws the picture. Usage: 05_pinned_streams.py BUILD/bin/warpgrade
"""

import json
import pathlib
import subprocess
import sys
import tempfile

from svg import sizes

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIGURES = ROOT / "handout" / "student" / "figures"
SIZES, SEGMENTS = sizes("05-pinned-streams", "two-engines"), 6

MAIN = """
#include <cuda_runtime.h>
#include "lab/pinned_streams.hpp"

int main() {
  constexpr int kSegment = %d, n = %d * kSegment, kRounds = %d;
  float *a, *b, *c;
  for (float** array : {&a, &b, &c}) %s
  for (int i = 0; i < n; ++i) a[i] = b[i] = 1;
  %s(a, b, c, n, kSegment, kRounds);
}
"""
PINNED = "cudaHostAlloc(array, n * sizeof(float), cudaHostAllocDefault);"
PAGEABLE = "*array = new float[n];"

# Name of the figure, source, function, allocation of the arrays, number of copy engines.
PICTURES = [
    ("05-one-after-another", ROOT / "grader/workloads/pinned_streams/naive.cu", "add_streams", PAGEABLE, 1),
    ("05-breadth-first", ROOT / "solutions/05-pinned-streams/pinned_streams.cu", "add_streams", PAGEABLE, 1),
    ("05-three-sets", ROOT / "solutions/05-pinned-streams/pinned_streams.cu", "add_pipelined", PINNED, 2),
]


def profile(folder, copy_engines):
    """Writes a profile of the lecture GPU with this number of copy engines, and returns its path."""
    device = json.loads((ROOT / "grader/vgpu/model/lecture.json").read_text())
    device["async_engine_count"] = copy_engines
    file = folder / f"{copy_engines}-engines.json"
    file.write_text(json.dumps(device))
    return file


def draw(warpgrade, folder, name, source, function, arrays, copy_engines):
    main = folder / "main.cu"
    main.write_text(MAIN % (SIZES["segment"], SEGMENTS, SIZES["rounds"], arrays, function))
    program = folder / name
    subprocess.run([warpgrade, "nvcc", "-O3", "-std=c++17", "-I", ROOT / "labs/include", "-o", program, main, source],
                   check=True)
    subprocess.run([warpgrade, "run", "--profile", profile(folder, copy_engines), "--timeline",
                    FIGURES / f"{name}.svg", program], check=True)


def main():
    warpgrade = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        for picture in PICTURES:
            draw(warpgrade, pathlib.Path(folder), *picture)


if __name__ == "__main__":
    main()
