"""Draws the figures of lab 01: the global memory traffic per pixel of a convolution, and pictures from `check`.

    python3 handout/figures/01_memory_types.py build/virtual/bin/warpgrade

Writes handout/student/figures/01-*.svg and 01-*.png.
"""

import pathlib
import shutil
import sys
import tempfile

from svg import Svg, check, sizes

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIGURES = ROOT / "handout" / "student" / "figures"
SOLUTIONS = ROOT / "solutions" / "01-memory-types"
LAB, CASE = "01-memory-types", "tiled-scene"
SIZES = sizes(LAB, CASE)
PIXELS, WINDOW = SIZES["width"] * SIZES["height"], 2 * SIZES["radius"] + 1
VERSIONS = [
    ("weights in global memory", ROOT / "grader" / "workloads" / "memory_types" / "naive.cu"),
    ("weights in constant memory", SOLUTIONS / "wrong" / "not_tiled.cu"),
    ("and pixels from a shared tile", SOLUTIONS / "wrong" / "one_pixel_a_thread.cu"),
    ("and four rows per thread", SOLUTIONS / "memory_types.cu"),
]
LEFT, TOP, ROW, SCALE = 210, 58, 64, 1.05  # in pixels; SCALE: pixels per byte and per 0.2 us
DRAM, COMPUTE, BYTES = "#c8743c", "#5b8bd0", "#8a8f98"


def measured(warpgrade):
    """Returns (name, bytes per pixel, DRAM time, compute time) of each version; times are in microseconds."""
    rows = []
    for name, source in VERSIONS:
        counters = check(warpgrade, LAB, str(source), "--case", CASE)["counters"][CASE]
        rows.append((name, counters["global_load_requested_bytes"] / PIXELS, 1e6 * counters["dram_s"],
                     1e6 * counters["compute_s"]))
    return rows


def draw_bars(rows, path):
    picture = Svg(720, TOP + ROW * len(rows) + 20)
    picture.text(12, 24, f"{WINDOW} × {WINDOW} convolution of {SIZES['width']} × {SIZES['height']} pixels, virtual GPU with the "
                 "lecture profile", 14, weight="bold")
    for x, colour, text in [(LEFT, BYTES, "bytes loaded per pixel"), (LEFT + 190, DRAM, "µs of DRAM"),
                            (LEFT + 290, COMPUTE, "µs of instructions")]:
        picture.rect(x, 36, 11, 11, colour)
        picture.text(x + 16, 46, text, 12)
    for i, (name, bytes_a_pixel, dram_us, compute_us) in enumerate(rows):
        y = TOP + i * ROW
        picture.text(LEFT - 10, y + 28, name, anchor="end")
        bars = [(bytes_a_pixel, f"{bytes_a_pixel:.1f} B", SCALE, BYTES), (dram_us, f"{dram_us:.1f} µs", 5 * SCALE, DRAM),
                (compute_us, f"{compute_us:.1f} µs", 5 * SCALE, COMPUTE)]
        for j, (value, label, scale, colour) in enumerate(bars):
            picture.rect(LEFT, y + 4 + 17 * j, value * scale, 14, colour)
            picture.text(LEFT + value * scale + 6, y + 15 + 17 * j, label, 11)
    picture.save(path)


def draw_pictures(warpgrade):
    """Copies the pictures of the scene, its convolution, and two mistakes with their error maps."""
    names = {"in": "01-scene-in", "out-expected": "01-scene-expected"}
    for mistake in ["no_halo", "halo_repeats_edge"]:
        with tempfile.TemporaryDirectory() as folder:
            check(warpgrade, LAB, str(SOLUTIONS / "wrong" / f"{mistake}.cu"), "--case", CASE, "--pictures", folder)
            drawn = pathlib.Path(folder) / LAB
            dashed = mistake.replace("_", "-")
            wanted = {**names, "out": f"01-scene-{dashed}", "out-errors": f"01-scene-{dashed}-errors"}
            for name, figure in wanted.items():
                shutil.copyfile(drawn / f"{CASE}-{name}.png", FIGURES / f"{figure}.png")


def main():
    warpgrade = sys.argv[1]
    rows = measured(warpgrade)
    draw_bars(rows, FIGURES / "01-memory-types.svg")
    draw_pictures(warpgrade)
    for row in rows:
        print(row)


if __name__ == "__main__":
    main()
