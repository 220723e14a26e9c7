"""Keeps the outputs of `warpgrade check` and `warpgrade profile` on pages up to date.

    python3 handout/book/outputs.py check WARPGRADE     compares the pages with the actual output
    python3 handout/book/outputs.py write WARPGRADE     updates the pages

A code block that starts with `$ warpgrade check LAB` or `$ warpgrade profile LAB` shows the beginning of the output, up
to the first line that starts with the same word as the block's last line. If the second line of the block is …, the
block shows the output from the first line that starts with the same word as the block's third line. The output of
`check` is that of the lab's skeleton, and that of `profile` is the solution's, unless SOURCES names another file. The
line with the compiler is not changed. Exit status 77: the compiler on this machine is not nvcc, so counts differ.
"""

import os
import re
import subprocess
import sys

import pages
from labs import lab_folders

# The kernels that are given to students run without a solution.
SOURCES = {("README.md", "check"): "solutions/02-tiled-matmul/wrong/no_store_guard.cu",
           ("handout/README.md", "check"): "solutions/01-memory-types/wrong/halo_repeats_edge.cu",
           ("labs/03-reduction-divergence/README.md", "profile"): "labs/03-reduction-divergence/reduction.cu",
           ("labs/04-coalescing/README.md", "profile"): "labs/04-coalescing/coalescing.cu"}
BLOCK = re.compile(r"(?<=\n```text\n)\$ warpgrade (check|profile) (\S+)([^\n]*)\n(.*?)\n(?=```\n)", re.S)
COMPILER_LINE = 1
LEFT_OUT = "…"


def file_of(page, command, lab):
    """Returns the file whose output the page shows; None: the student's own."""
    default = None if command == "check" else next(pages.ROOT.glob(f"solutions/{lab}/*.cu")).relative_to(pages.ROOT).as_posix()
    return SOURCES.get((page, command), default)


def printed(warpgrade, page, command, lab, options):
    """Returns the lines of the output, with the path and the name of the shown file replaced by the student's."""
    arguments = [warpgrade, command, lab, *options.split()]
    if command == "check":
        arguments += ["--device", "virtual"]
    source = file_of(page, command, lab)
    if source:
        arguments += ["--source", source]
    run = subprocess.run(arguments, capture_output=True, text=True, check=False, cwd=pages.ROOT,
                         env={**os.environ, "COLUMNS": "80", "WARPGRADE_HOME": str(pages.ROOT)})
    if run.returncode not in (0, 1):
        raise pages.Problem(f"{' '.join(arguments)}: {run.stderr.strip()}")
    text = run.stdout
    if source:
        skeleton = next(pages.ROOT.glob(f"labs/{lab}/*.cu")).relative_to(pages.ROOT).as_posix()
        text = text.replace(source, skeleton)
        text = text.replace(os.path.basename(source), os.path.basename(skeleton))
    return text.split("\n")


def first_like(line, lines):
    """Returns the index of the first line that starts with the same word, or None."""
    return next((i for i, other in enumerate(lines) if other.split()[:1] == line.split()[:1]), None)


def shown(block, lines):
    """Returns the part of the output that the block shows."""
    old = block.split("\n")
    is_excerpt = old[0] == LEFT_OUT
    if is_excerpt:
        start = first_like(old[1], lines)
        if start is None:
            raise pages.Problem(f"the output has no line that starts like \"{old[1]}\"")
        lines = lines[start:]
    last = first_like(old[-1], lines)
    new = lines if last is None else lines[:last + 1]
    if is_excerpt:
        return "\n".join([LEFT_OUT, *new])
    new[COMPILER_LINE] = old[COMPILER_LINE]
    return "\n".join(new)


def renewed(warpgrade, page):
    """Returns the page with current outputs, or None if nvcc is not available."""
    text = pages.read(page)
    for block in BLOCK.finditer(text):
        command, lab, options, old = block.groups()
        lines = printed(warpgrade, page, command, lab, options)
        if "nvcc" not in lines[COMPILER_LINE]:
            return None
        text = text.replace(old, shown(old, lines))
    return text


def main(arguments):
    if len(arguments) != 2 or arguments[0] not in ("check", "write"):
        print(__doc__, file=sys.stderr)
        return 2
    status = 0
    shown_on = dict.fromkeys(page for page, _ in SOURCES)
    shown_on.update(dict.fromkeys(f"labs/{folder.name}/README.md" for folder in lab_folders(pages.ROOT)))
    for page in shown_on:
        try:
            text = renewed(os.path.abspath(arguments[1]), page)
        except pages.Problem as problem:
            print(f"{page}: {problem}", file=sys.stderr)
            return 1
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
