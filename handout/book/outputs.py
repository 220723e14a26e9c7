"""What `warpgrade check` prints, where pages show it.

    python3 handout/book/outputs.py check WARPGRADE     compares
    python3 handout/book/outputs.py write WARPGRADE     writes the pages anew

A page's code block that begins with `$ warpgrade check LAB` shows the beginning of the output, up to the first line that
begins with the same word as the block's last. It is that of the lab's skeleton, unless SOURCES names another file. The
line with the compiler is left as it is. Exit status 77: another compiler than nvcc is here, which counts otherwise.
"""

import os
import re
import subprocess
import sys

import pages
from labs import lab_folders

SOURCES = {"README.md": "solutions/02-tiled-matmul/wrong/no_store_guard.cu"}
BLOCK = re.compile(r"(?<=\n```text\n)\$ warpgrade check (\S+)\n(.*?)\n(?=```\n)", re.S)
COMPILER_LINE = 1


def printed(warpgrade, page, lab):
    """The lines, with the student's file in place of SOURCES'."""
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
    """As much of the output as the block shows."""
    old = block.split("\n")
    last = old[-1].split()[0]
    end = next((i for i, line in enumerate(lines) if line.split()[:1] == [last]), len(lines) - 1)
    new = lines[:end + 1]
    new[COMPILER_LINE] = old[COMPILER_LINE]
    return "\n".join(new)


def renewed(warpgrade, page):
    """The page with the outputs of today; None: without nvcc there are none to compare with."""
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
    for page in ["README.md"] + [f"labs/{folder.name}/README.md" for folder in lab_folders(pages.ROOT)]:
        text = renewed(os.path.abspath(arguments[1]), page)
        if text is None:
            print("another compiler than nvcc is here: the outputs on pages stay as they are")
            return 77 if arguments[0] == "check" else 0
        if text == pages.read(page):
            continue
        if arguments[0] == "write":
            (pages.ROOT / page).write_text(text, encoding="utf-8")
            print(f"{page}: written anew")
        else:
            print(f"{page}: shows another output than warpgrade prints; cmake --build --preset refresh writes it anew")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
