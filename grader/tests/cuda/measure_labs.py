#!/usr/bin/env python3
"""Measures every lab's speed-ups on this machine's GPU and holds them against the thresholds of lab.json.

Usage: measure_labs.py WARPGRADE [--runs N] [--json FILE] [LAB …]

For each lab the solution is checked once as a whole, then its speed-up cases N times (default 20); the accepted variants,
the naive kernel and the wrong variants that promise `too_slow` a quarter as often. Prints a Markdown table. Exit status: 0 when
every solution has full marks and beats its thresholds by 25 % in every run and every naive or slow program misses its
own in every run, else 1.
"""

import argparse
import json
import pathlib
import subprocess
import sys

MARGIN = 1.25
KIT = pathlib.Path(__file__).resolve().parents[3]


def check(warpgrade, lab, source, *options):
    command = [warpgrade, "check", lab, "--source", str(source), "--device", "cuda", "--format", "json", *options]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)}: exit status {run.returncode}: {run.stderr.strip()}")
    return json.loads(run.stdout)


def speed_cases(lab):
    """Case on a real GPU → full threshold."""
    cases = {}
    for task in lab["tasks"]:
        if "speedup" in task:
            case = task["speedup"]["case"]
            cases[case if isinstance(case, str) else case["cuda"]] = task["speedup"]["cuda"]["full"]
    return cases


def programs(lab):
    """(path, kind) of what is measured; kind is "solution", "accepted" or "slow"."""
    folder = KIT / "solutions" / lab["id"]
    yield folder / lab["sources"][0], "solution"
    for source in sorted((folder / "accepted").glob("*.cu")):
        yield source, "accepted"
    yield KIT / "grader" / "workloads" / lab["workload"] / "naive.cu", "slow"
    promises = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["files"]
    for name, promise in promises.items():
        if promise["verdict"] == "too_slow" and "WG-P02" in promise.get("codes", []):
            yield folder / name, "slow"


def speedups(warpgrade, lab, source, case, runs):
    found = []
    for _ in range(runs):
        result = check(warpgrade, lab["id"], source, "--case", case)
        found += [one["speedup"] for one in result["performance"] if one["case"] == case]
    return found


def measure(warpgrade, lab, runs, rows):
    good = True
    whole = check(warpgrade, lab["id"], next(programs(lab))[0])
    if whole["score"] != whole["max_score"]:
        good = False
        for one in whole["checks"]:
            if one["status"] == "fail":
                print(f"{lab['id']}: {one['id']}: {[d['what'] for d in one['diagnostics']]}", file=sys.stderr)
    rows.append({"lab": lab["id"], "program": "solution", "score": whole["score"], "max": whole["max_score"]})
    for case, full in speed_cases(lab).items():
        for source, kind in programs(lab):
            found = speedups(warpgrade, lab, source, case, runs if kind == "solution" else max(1, runs // 4))
            verdict = "ok"
            if kind == "solution" and (not found or min(found) < MARGIN * full):
                verdict = "margin missed"
            if kind == "slow" and found and max(found) >= full:
                verdict = "reaches the threshold"
            good = good and (verdict == "ok" or kind == "accepted")
            rows.append({"lab": lab["id"], "case": case, "program": str(source.relative_to(KIT)), "kind": kind,
                         "full": full, "speedups": found, "verdict": verdict})
            print(f"{lab['id']} {case} {source.name}: {found}", file=sys.stderr)
    return good


def table(rows):
    print("| lab | case | program | speed-up, least to most | runs | full from | |\n|---|---|---|---|---|---|---|")
    for row in rows:
        if "case" not in row:
            continue
        found = row["speedups"]
        spread = f"{min(found):.3f} to {max(found):.3f}" if found else "not right, so not timed"
        print(f"| {row['lab']} | {row['case']} | {row['program']} | {spread} | {len(found)} | {row['full']} | "
              f"{row['verdict']} |")
    print()
    for row in rows:
        if "score" in row:
            print(f"{row['lab']}: the solution scores {row['score']:g} of {row['max']:g}.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warpgrade")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("labs", nargs="*")
    options = parser.parse_args()
    rows, good = [], True
    for path in sorted(KIT.glob("labs/*/lab.json")):
        lab = json.loads(path.read_text(encoding="utf-8"))
        if not options.labs or lab["id"] in options.labs:
            good = measure(options.warpgrade, lab, options.runs, rows) and good
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    table(rows)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
