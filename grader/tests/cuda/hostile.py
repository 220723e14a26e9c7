#!/usr/bin/env python3
"""Checks the hostile submissions that need a real GPU: grader/tests/hostile/cuda.

Usage: hostile.py WARPGRADE [NAME …]

For each file, `warpgrade check --device cuda` must end in bounded time with one of the expected verdicts; afterwards
none of its processes may remain, the GPU's memory must be free again, and the taught solution must still get full
marks. Prints one line per file. Exit status: 0 if all files meet the expectations, else 1.
"""

import json
import pathlib
import subprocess
import sys
import time

KIT = pathlib.Path(__file__).resolve().parents[3]
CORPUS = KIT / "grader/tests/hostile/cuda"
LAB = "02-tiled-matmul"
TIME_LIMIT_S = 20  # of one case
BOUND_S = 150  # of one submission: the limits of the first cases, compiling, and overhead
SLACK_MIB = 256  # memory that the driver may keep


def used_mib():
    query = ["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits"]
    return int(subprocess.run(query, capture_output=True, text=True, check=True).stdout.split()[0])


def programs_on_gpu():
    query = ["nvidia-smi", "--query-compute-apps=pid", "--format=csv,noheader"]
    return subprocess.run(query, capture_output=True, text=True, check=True).stdout.split()


def check(warpgrade, source):
    """Returns the result document, or None if there is none within BOUND_S."""
    command = [warpgrade, "check", LAB, "--device", "cuda", "--format", "json", "--source", str(source),
               "--time-limit", str(TIME_LIMIT_S)]
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=BOUND_S, cwd=KIT)
        return json.loads(ended.stdout)
    except (subprocess.TimeoutExpired, json.JSONDecodeError):
        return None


def first_code(result):
    return next((check["diagnostics"][0]["code"] for check in result["checks"] if check["diagnostics"]), "")


def problems(warpgrade, name, promise, idle_mib):
    start = time.monotonic()
    result = check(warpgrade, CORPUS / f"{name}.cu")
    took = time.monotonic() - start
    if result is None:
        return [f"no result within {BOUND_S} s"], ""
    found = []
    if result["verdict"] not in promise["verdicts"]:
        found.append(f"verdict is {result['verdict']} when it should be {' or '.join(promise['verdicts'])}")
    if promise.get("codes") and first_code(result) not in promise["codes"]:
        found.append(f"first code is {first_code(result)} when it should be {' or '.join(promise['codes'])}")
    time.sleep(1)  # the driver cleans up
    if used_mib() > idle_mib + SLACK_MIB:
        found.append(f"{used_mib()} MiB of device memory are in use, {idle_mib} before")
    if programs_on_gpu():
        found.append(f"processes {' '.join(programs_on_gpu())} are still on the GPU")
    after = check(warpgrade, KIT / "solutions" / LAB / "tiled_matmul.cu")
    if after is None or after["verdict"] != "accepted":
        found.append("the taught solution is not accepted afterwards")
    return found, f"{result['verdict']} {first_code(result)}, {took:.0f} s"


def main():
    if len(sys.argv) < 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    warpgrade = str(pathlib.Path(sys.argv[1]).resolve())
    promises = json.loads((CORPUS / "expected.json").read_text(encoding="utf-8"))["submissions"]
    names = sys.argv[2:] or list(promises)
    idle_mib = used_mib()
    bad = 0
    for name in names:
        found, summary = problems(warpgrade, name, promises[name], idle_mib)
        bad += bool(found)
        print(f"{'FAIL' if found else 'ok  '}  {name}: {'; '.join(found) or summary}", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
