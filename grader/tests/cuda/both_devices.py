#!/usr/bin/env python3
"""Checks grades from both devices on a machine with a real GPU.

Usage: both_devices.py WARPGRADE [--wrong] [LAB …]

`warpgrade check --device both` must give each lab's solution all points, name the device of each check and report no
difference between the devices. With --wrong, each of solutions/LAB/wrong/ must get fewer points than that; WG-D01 and
WG-D02 are printed, not judged. No file may get a code of WG-G, a failure of the grader or of the machine. Prints one
line per file. Exit status: 0 if all files meet the expectations, else 1.
"""

import collections
import json
import pathlib
import subprocess
import sys
import time

KIT = pathlib.Path(__file__).resolve().parents[3]
BOUND_S = 300  # of one file


def check(warpgrade, lab, source):
    """Returns the result document, or None if there is none within BOUND_S."""
    command = [warpgrade, "check", lab, "--device", "both", "--format", "json", "--source", str(source)]
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=BOUND_S, cwd=KIT)
        return json.loads(ended.stdout)
    except (subprocess.TimeoutExpired, json.JSONDecodeError):
        return None


def numbers_of_codes(result, prefix):
    """The number of checks with each of the codes that begin with the prefix."""
    codes = [one["code"] for check in result["checks"] for one in check["diagnostics"]]
    return collections.Counter(code for code in codes if code.startswith(prefix))


def differences(result):
    return numbers_of_codes(result, "WG-D")


def has_all_points(result):
    return result["score"] == result["max_score"]


def problems(result, is_wrong):
    if result is None:
        return [f"no result within {BOUND_S} s"]
    found = [f"{code}: not the submission's fault" for code in sorted(numbers_of_codes(result, "WG-G"))]
    if is_wrong:
        return found + (["it gets all points"] if has_all_points(result) else [])
    if not has_all_points(result) or result["max_score"] - result.get("max_bonus", 0) != 100:
        found.append("it does not get all points, or they are not 100 without bonus")
    if differences(result):
        found.append("the devices differ")
    if any("device" not in one for one in result["checks"]) or not result["provenance"].get("gpu"):
        found.append("a device is not named")
    return found


def report(name, result, found, seconds):
    points = f"{result['score']}/{result['max_score']} {result['verdict']}" if result else ""
    codes = " ".join(f"{code} x{count}" for code, count in sorted(differences(result).items())) if result else ""
    print(f"{'FAIL' if found else 'ok':4} {name}: {points} {codes} {seconds:.1f} s {'; '.join(found)}", flush=True)


def main(arguments):
    takes_wrong = "--wrong" in arguments
    warpgrade, *labs = [one for one in arguments if one != "--wrong"]
    program = str(pathlib.Path(warpgrade).resolve())
    failed = False
    all_labs = sorted(path.parent.name for path in KIT.glob("labs/*/lab.json"))
    for unknown in [one for one in labs if not any(lab.startswith(one) for lab in all_labs)]:
        sys.exit(f"no lab begins with {unknown}: the labs are {', '.join(all_labs)}")
    for lab in [lab for lab in all_labs if not labs or any(lab.startswith(one) for one in labs)]:
        folder = KIT / "solutions" / lab
        for source in sorted((folder / "wrong").glob("*.cu")) if takes_wrong else sorted(folder.glob("*.cu")):
            start = time.monotonic()
            result = check(program, lab, source)
            found = problems(result, takes_wrong)
            report(source.relative_to(KIT / "solutions"), result, found, time.monotonic() - start)
            failed |= bool(found)
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
