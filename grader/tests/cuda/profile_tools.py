#!/usr/bin/env python3
"""Checks `warpgrade profile --device both` on a machine with a real GPU, Nsight Compute and compute-sanitizer.

Usage: profile_tools.py WARPGRADE [LAB …]

The profile of each lab's solution must have measured counters and no finding. A wrong file must have a finding at its
line. With tools that fail, write nothing, write rubbish or hang, the profile must name the tool and end with status 3.
Prints one line per check. Exit status: 0 if all are as expected, 77 if a tool is not installed, else 1.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

KIT = pathlib.Path(__file__).resolve().parents[3]
WRONG = ("02-tiled-matmul", "solutions/02-tiled-matmul/wrong/no_store_guard.cu", "17x33x65")
SKIP = 'while [ "$1" != --log-file ]; do shift; done; log=$2; shift 2; '
STUBS = {
    "fails": "echo cannot start; exit 1",
    "silent": SKIP + 'exec "$@"',
    "empty log": SKIP + ': >"$log"; exec "$@"',
    "rubbish": SKIP + 'head -c 10000 /dev/urandom >"$log"; exec "$@"',
    "hangs": "exec sleep 1000",
}


def profile(warpgrade, lab, source, path=None, more=()):
    command = [warpgrade, "profile", lab, "--device", "both", "--source", str(source), *more]
    environment = {**os.environ, **({"PATH": path} if path else {}), "COLUMNS": "120"}
    return subprocess.run(command, capture_output=True, text=True, timeout=900, cwd=KIT, env=environment)


def report(name, ended, found, start):
    print(f"{'FAIL' if found else 'ok':4} {name}: {time.monotonic() - start:.1f} s {'; '.join(found)}", flush=True)
    if found:
        print(ended.stdout[-3000:] + ended.stderr[-1000:], flush=True)
    return bool(found)


def check_solution(warpgrade, lab, source):
    start = time.monotonic()
    ended = profile(warpgrade, lab, source)
    found = [] if ended.returncode == 0 else [f"status {ended.returncode}"]
    for part in ["Real GPU: ", " measured ", "found nothing with memcheck, racecheck, initcheck, synccheck"]:
        if part not in ended.stdout:
            found.append(f"it does not print `{part}`")
    return report(source.relative_to(KIT), ended, found, start)


def check_wrong(warpgrade):
    start = time.monotonic()
    lab, source, case = WRONG
    ended = profile(warpgrade, lab, KIT / source, more=["--case", case])
    finding = "compute-sanitizer (memcheck): Invalid __global__ write"
    found = [] if finding in ended.stdout else ["no finding"]
    return report(source, ended, found + ([] if ended.returncode in (1, 3) else ["wrong status"]), start)


def check_stub(warpgrade, kind, commands):
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        for tool in ["ncu", "compute-sanitizer"]:
            file = pathlib.Path(folder) / tool
            file.write_text("#!/bin/sh\n" + commands + "\n")
            file.chmod(0o755)
        source = next((KIT / "solutions/00-warm-up").glob("*.cu"))
        ended = profile(warpgrade, "00-warm-up", source, f"{folder}:{os.environ['PATH']}", ["--time-limit", "2"])
    found = [] if ended.returncode == 3 else [f"status {ended.returncode}"]
    for tool in ["Nsight Compute", "compute-sanitizer (memcheck)", "compute-sanitizer (synccheck)"]:
        if f"{tool} did not work" not in " ".join(ended.stdout.split()):
            found.append(f"it does not name {tool}")
    if "found nothing" in ended.stdout:
        found.append("it has a clean result")
    return report("stub: " + kind, ended, found, start)


def main(arguments):
    warpgrade, *labs = arguments
    if not all(shutil.which(tool) for tool in ["ncu", "compute-sanitizer"]):
        print("ncu or compute-sanitizer is not installed")
        return 77
    program = str(pathlib.Path(warpgrade).resolve())
    failed = False
    for lab in labs or sorted(path.parent.name for path in KIT.glob("labs/*/lab.json")):
        for source in sorted((KIT / "solutions" / lab).glob("*.cu")):
            failed |= check_solution(program, lab, source)
    failed |= check_wrong(program)
    for kind, commands in STUBS.items():
        failed |= check_stub(program, kind, commands)
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
