"""Holds the sources against the structure that grader/doc/architecture.md describes.

    rooms.py [ROOT]    prints each violation, and ends with 1 if there is one

A room is a folder of sources below grader/. ROOMS lists all of them from the lowest to the highest: a room includes
headers of rooms above it in the list only. A drawer is a folder inside a room that the room's one target compiles.
"""

import pathlib
import re
import sys

ROOMS = [
    "base",
    "vgpu/ptx", "vgpu/texture", "vgpu/facts", "vgpu/model", "vgpu/analysis", "vgpu/state", "vgpu/cost", "vgpu/races",
    "vgpu/shadow", "vgpu/check", "vgpu/record", "vgpu/flow", "vgpu/terms", "vgpu/builtins", "vgpu/handlers", "vgpu/decode",
    "vgpu/run",
    "vgpu/cudart/protocol", "vgpu/cudart/client", "vgpu/cudart/device_side",
    "toolchain", "policy", "sandbox", "harness", "runner", "formulas", "lab", "workloads", "judge", "score",
    "questions", "packages", "report",
    "profile", "standalone", "export", "course", "pages", "similarity", "mutants", "schedule", "packing", "slurm", "usage", "app", "validate",
    "challenge",
]
# Not part of the program: CUDA's headers for clang, and the tests, which include everything.
OUTSIDE = ["vgpu/cudart/include", "tests"]

MAX_FILES = 40  # of a folder below grader/vgpu: more cannot be overlooked
MAX_LINES = 6000  # likewise
SOURCES = (".cpp", ".hpp", ".cu", ".cuh", ".def")
INCLUDE = re.compile(r'^\s*#include "([^"]+)"', re.MULTILINE)
TEST = "_test.cpp"  # of workloads, in the folder of what they test


def room_of(path):
    """The room that a path relative to grader/ belongs to; None outside all rooms."""
    return next((room for room in ROOMS if path.startswith(room + "/")), None)


def sources(grader):
    for path in sorted(grader.rglob("*")):
        name = path.relative_to(grader).as_posix()
        if path.suffix in SOURCES and not any(name.startswith(folder + "/") for folder in OUTSIDE):
            yield name


def wrong_includes(grader, files):
    for name in files:
        room = room_of(name)
        if room is None:
            yield f"{name}: in no room; add its folder to ROOMS in grader/tests/architecture/rooms.py"
            continue
        if name.endswith(TEST):
            continue
        for included in INCLUDE.findall((grader / name).read_text(encoding="utf-8")):
            to = room_of(included)
            if to is not None and (grader / included).exists() and ROOMS.index(to) > ROOMS.index(room):
                yield f"{name}: includes {included}, of a higher room"


def large_folders(grader, files):
    inside = {}
    for name in files:
        if name.startswith("vgpu/"):
            inside.setdefault(str(pathlib.PurePosixPath(name).parent), []).append(name)
    for folder, names in sorted(inside.items()):
        lines = sum((grader / name).read_text(encoding="utf-8").count("\n") for name in names)
        if len(names) > MAX_FILES:
            yield f"{folder}: {len(names)} files when there should be at most {MAX_FILES}"
        if lines > MAX_LINES:
            yield f"{folder}: {lines} lines when there should be at most {MAX_LINES}"


def foreign_sources(grader):
    """No target compiles a file of another folder than its own, or of a drawer inside."""
    for file in sorted(grader.rglob("CMakeLists.txt")):
        name = file.relative_to(grader).as_posix()
        if not name.startswith("tests/") and re.search(r"\.\./\S+\.cpp\b", file.read_text(encoding="utf-8")):
            yield f"{name}: compiles a file of another folder"


def missing_on_page(grader):
    page = (grader / "doc/architecture.md").read_text(encoding="utf-8")
    for room in ROOMS:
        if f"`{room}`" not in page and f"`{room}/" not in page:
            yield f"doc/architecture.md: does not name `{room}`"
    for named in re.findall(r"^\| `([a-z_/]+)(?:/<name>)?` \|", page, re.MULTILINE):
        if named not in ROOMS:
            yield f"doc/architecture.md: names `{named}`, which is no room"


def violations(root):
    grader = root / "grader"
    files = list(sources(grader))
    yield from wrong_includes(grader, files)
    yield from large_folders(grader, files)
    yield from foreign_sources(grader)
    yield from missing_on_page(grader)


if __name__ == "__main__":
    found = list(violations(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[3])))
    print("\n".join(found) or "every include points down, every room is on the page")
    sys.exit(1 if found else 0)
