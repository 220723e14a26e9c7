"""Keeps the outputs of `warpgrade check` on pages up to date.

    python3 handout/book/outputs.py check WARPGRADE     compares the pages with the actual output
    python3 handout/book/outputs.py write WARPGRADE     updates the pages

A code block that starts with `$ warpgrade check LAB` shows the beginning of the output, up to the first line that
starts with the same word as the block's last line. The output is that of the lab's skeleton, unless SOURCES names
another file. The line with the compiler is not changed. Exit status 77: the compiler on this machine is not nvcc, so counts differ.
"""

import os
import re
import subprocess
import sys

import pages
from labs import lab_folders

SOURCES = {"README.md": "solutions/02-tiled-matmul/wrong/no_store_guard.cu",
           "handout/README.md": "solutions/01-memory-types/wrong/halo_repeats_edge.cu"}
BLOCK = re.compile(r"(?<=\n```text\n)\$ warpgrade check (\S+)\n(.*?)\n(?=```\n)", re.S)
COMPILER_LINE = 1


def printed(warpgrade, page, lab):
    """Returns the lines of the output, with the file of SOURCES replaced by the student's file."""
    command = [warpgrade, "check", lab, "--device", "virtual"]
    source = SOURCES.get(page)
    if source:
        command += ["--source", source]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=pages.ROOT,
                         env={**os.environ, "COLUMNS": "80", "WARPGRADE_HOME": str(pages.ROOT)})
    if run.returncode not in (0, 1):
        raise pages.Problem(f"{' '.join(command)}: {run.stderr.strip()}")
    text = run.stdout
    if source:
        skeleton = next(pages.ROOT.glob(f"labs/{lab}/*.cu")).relative_to(pages.ROOT).as_posix()
        text = text.replace(source, skeleton)
    return text.split("\n")


def shown(block, lines):
    """Returns the part of the output that the block shows."""
    old = block.split("\n")
    last = old[-1].split()[0]
    end = next((i for i, line in enumerate(lines) if line.split()[:1] == [last]), len(lines) - 1)
    new = lines[:end + 1]
    new[COMPILER_LINE] = old[COMPILER_LINE]
    return "\n".join(new)


def renewed(warpgrade, page):
    """Returns the page with current outputs, or None if nvcc is not available."""
    text = pages.read(page)
    for block in BLOCK.finditer(text):
        lines = printed(warpgrade, page, block.group(1))
        if "nvcc" not in lines[COMPILER_LINE]:
            return None
        text = text.replace(block.group(2), shown(block.group(2), lines))
    return text


def main(arguments):
    if len(arguments) != 2 or arguments[0] not in ("check", "write"):
        print(__doc__, file=sys.stderr)
        return 2
    status = 0
    for page in [*SOURCES] + [f"labs/{folder.name}/README.md" for folder in lab_folders(pages.ROOT)]:
        text = renewed(os.path.abspath(arguments[1]), page)
        if text is None:
            print("the compiler on this machine is not nvcc: the outputs on pages are not checked")
            return 77 if arguments[0] == "check" else 0
        if text == pages.read(page):
            continue
        if arguments[0] == "write":
            (pages.ROOT / page).write_text(text, encoding="utf-8")
            print(f"{page}: updated")
        else:
            print(f"{page}: does not show the output of warpgrade; cmake --build --preset refresh updates the page")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
