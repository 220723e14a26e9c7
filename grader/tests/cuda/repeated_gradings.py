#!/usr/bin/env python3
"""Grades the same submissions many times on this machine's GPU and compares the verdicts.

Usage: repeated_gradings.py WARPGRADE [--times N] [--labs LAB …] [--device KIND] [--bursts] [--keep FOLDER]

Each lab has two submissions: its solution, and its first variant that is too slow on the virtual GPU (in some labs the
real GPU accepts it). Each is graded N times, under another comment each time, so that every one is built and measured.
With --bursts, another program (bursts.cu) loads all GPUs meanwhile, for 5 to 300 ms with pauses of up to a second; a
measurement that it disturbs may end as a fault of the machine, but never as another verdict. With --keep, results whose
grade is not the submission's most frequent one are copied to FOLDER. Prints one line for each submission. Exit status:
0 if all its verdicts and points agree, else 1.
"""

import argparse
import collections
import contextlib
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
KIT = HERE.parents[2]


def submissions_of(lab):
    """Pairs of a name and a file."""
    folder = KIT / "solutions" / lab
    source = json.loads((KIT / "labs" / lab / "lab.json").read_text(encoding="utf-8"))["sources"][0]
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["files"]
    slow = [name for name, promise in expected.items() if promise["verdict"] == "too_slow"]
    return [(source, folder / name) for name in (source, *slow[:1])]


def write_class(folder, labs, times):
    """Submission K.I of the class contains the K-th file of every lab, for the I-th time."""
    names = {}
    for lab in labs:
        for kind, (source, path) in enumerate(submissions_of(lab)):
            names[kind, lab] = f"{lab} {path.name}"
            for i in range(times):
                place = folder / f"{kind}.{i:03}" / lab
                place.mkdir(parents=True)
                text = path.read_text(encoding="utf-8")
                (place / source).write_text(f"// Time {i + 1}\n{text}", encoding="utf-8")
    return names


@contextlib.contextmanager
def bursts(folder):
    program = folder / "bursts"
    subprocess.run(["nvcc", "-o", program, HERE / "bursts.cu"], check=True)
    running = subprocess.Popen([program])
    try:
        yield
        if running.poll() is not None:
            sys.exit("the program that loads the GPU has ended too early")
    finally:
        running.kill()
        running.wait()


def read_grades(results, names):
    """For each submission, the result files of each pair of a verdict and a score; the most frequent pair first."""
    grades = {name: collections.defaultdict(list) for name in names.values()}
    for path in sorted(results.rglob("*.json")):
        kind = path.parent.name.partition(".")[0]
        if kind.isdigit() and (int(kind), path.stem) in names:
            result = json.loads(path.read_text(encoding="utf-8"))
            grades[names[int(kind), path.stem]][result["verdict"], result["score"]].append(path)
    return {name: dict(sorted(seen.items(), key=lambda one: -len(one[1]))) for name, seen in grades.items()}


def keep_others(grades, folder):
    """Copies the results that differ from the submission's most frequent grade."""
    for seen in grades.values():
        for path in sum(list(seen.values())[1:], []):
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, folder / f"{path.stem}.{path.parent.name}.json")


def agree(seen, times, may_fail):
    """Whether all gradings are there and had the same grade; a fault of the machine is none."""
    real = [grade for grade in seen if grade[0] != "grader_fault"]
    return sum(len(paths) for paths in seen.values()) == times and len(real) == 1 and (may_fail or len(seen) == 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("warpgrade")
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--labs", nargs="+", default=sorted(path.name for path in (KIT / "labs").glob("0[1-6]-*")))
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--bursts", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        names = write_class(folder / "class", options.labs, options.times)
        start = time.monotonic()
        command = [str(pathlib.Path(options.warpgrade).resolve()), "grade", str(folder / "class"),
                   "--device", options.device, "--out", str(folder / "results")]
        with bursts(folder) if options.bursts else contextlib.nullcontext():
            subprocess.run(command, cwd=KIT, stdout=subprocess.DEVNULL, check=False)
        took = time.monotonic() - start
        grades = read_grades(folder / "results", names)
        if options.keep:
            keep_others(grades, options.keep)
    wrong = 0
    for name, seen in sorted(grades.items()):
        is_right = agree(seen, options.times, options.bursts)
        wrong += not is_right
        found = ", ".join(f"{len(paths)} x {verdict} {score:g}" for (verdict, score), paths in seen.items())
        print(f"{'ok' if is_right else 'FAIL':4} {name}: {found or 'no result'}")
    print(f"{len(names)} submissions, {options.times} times each: {took:.0f} s, {wrong} without one single grade")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
