#!/usr/bin/env python3
"""Measures every lab's speed-ups on this machine's GPU and holds them against the thresholds of lab.json.

Usage: measure_labs.py WARPGRADE [--runs N] [--speed-only] [--json FILE] [LAB …]

For each lab the solution is checked once as a whole (not with --speed-only). Then its speed-up cases run N times
(default 20), a fifth as often with what must be too slow: the naive program, and the wrong variants that miss the
threshold on the virtual GPU; and a twentieth as often with the accepted variants. Prints a Markdown table. Exit status: 0 when every solution has full marks and beats its
thresholds by 25 % in every run and everything slow misses them in every run, else 1.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

MARGIN = 1.25
KIT = pathlib.Path(__file__).resolve().parents[3]


class Programs:
    """Runs `warpgrade check` in a copy of the kit whose labs have nothing but their speed-ups."""

    def __init__(self, warpgrade, labs):
        self.warpgrade = warpgrade
        self.folder = tempfile.TemporaryDirectory()
        self.kit = pathlib.Path(self.folder.name)
        for part in ("solutions", "labs", "grader/workloads", "grader/vgpu/cudart/include"):
            shutil.copytree(KIT / part, self.kit / part)
        for lab in labs:
            tasks = [{**task, "needs": [], "cases": [], "objectives": []} for task in lab["tasks"] if "speedup" in task]
            used = {case for task in tasks for case in cases_of(task).values()}
            reduced = {**lab, "tasks": tasks, "cases": {k: v for k, v in lab["cases"].items() if k in used}}
            path = self.kit / "labs" / lab["id"] / "lab.json"
            path.write_text(json.dumps(reduced), encoding="utf-8")

    def check(self, lab, source, device, kit=None):
        command = [self.warpgrade, "check", lab["id"], "--source", str(source), "--device", device, "--format", "json"]
        environment = {**os.environ, "WARPGRADE_HOME": str(kit or self.kit)}
        run = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        if run.returncode not in (0, 1):
            raise SystemExit(f"{' '.join(command)}: exit status {run.returncode}: {run.stderr.strip()}")
        return json.loads(run.stdout)


def cases_of(task):
    """Device → case of a task's speed-up."""
    case = task["speedup"]["case"]
    return {"virtual": case, "cuda": case} if isinstance(case, str) else case


def sources(lab):
    """(path, kind) of what is measured; kind is "solution", "accepted" or "slow"."""
    folder = KIT / "solutions" / lab["id"]
    yield folder / lab["sources"][0], "solution"
    for source in sorted((folder / "accepted").glob("*.cu")):
        yield source, "accepted"
    yield KIT / "grader" / "workloads" / lab["workload"] / "naive.cu", "slow"
    promises = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["files"]
    for name, promise in promises.items():
        if promise["verdict"] == "too_slow":
            yield folder / name, "slow"


def plan(programs, lab):
    """Task → what to measure of it. Also compiles everything for the GPU."""
    with concurrent.futures.ThreadPoolExecutor() as pool:
        listed = list(sources(lab))
        virtual = list(pool.map(lambda one: programs.check(lab, one[0], "virtual"), listed))
    plans = {}
    for task in lab["tasks"]:
        if "speedup" not in task:
            continue
        case = cases_of(task)["virtual"]
        plans[task["id"]] = (task, [
            (source, kind) for (source, kind), result in zip(listed, virtual)
            if kind != "slow" or any(p["case"] == case and p["verdict"] == "fail" for p in result["performance"])])
    return plans


def row_of(lab, task, source, kind, found):
    full = task["speedup"]["cuda"]["full"]
    verdict = "ok"
    if kind == "solution" and (not found or min(found) < MARGIN * full):
        verdict = "margin missed"
    if kind == "slow" and found and max(found) >= full:
        verdict = "reaches the threshold"
    return {"lab": lab["id"], "case": cases_of(task)["cuda"], "program": str(source.relative_to(KIT)), "kind": kind,
            "full": full, "speedups": found, "verdict": verdict}


def full_marks(programs, lab):
    whole = programs.check(lab, next(sources(lab))[0], "cuda", KIT)
    print(f"{lab['id']}: the solution scores {whole['score']:g} of {whole['max_score']:g}")
    for one in whole["checks"]:
        if one["status"] == "fail":
            print(f"  {one['id']}: {[d['what'] for d in one['diagnostics']]}")
    return whole["score"] == whole["max_score"]


def measure(programs, lab, runs, rows):
    plans = plan(programs, lab)
    found = {}
    for source, kind in sources(lab):
        tasks = [task for task, listed in plans.values() if (source, kind) in listed]
        times = {"solution": runs, "accepted": runs // 20, "slow": max(1, runs // 5)}[kind] if tasks else 0
        for done in range(times):
            print(f"{lab['id']}: {source.relative_to(KIT)}, run {done + 1} of {times}", file=sys.stderr)
            for one in programs.check(lab, source, "cuda")["performance"]:
                found.setdefault((source, one["case"]), []).append(round(one["speedup"], 3))
        rows += [row_of(lab, task, source, kind, found.get((source, cases_of(task)["cuda"]), [])) for task in tasks]


def table(rows):
    print("\n| lab | case | program | speed-up, least to most | runs | full from | |\n|---|---|---|---|---|---|---|")
    for row in rows:
        found = row["speedups"]
        spread = f"{min(found):.3f} to {max(found):.3f}" if found else "not right, so not timed"
        print(f"| {row['lab']} | {row['case']} | {row['program']} | {spread} | {len(found)} | {row['full']} | "
              f"{row['verdict']} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warpgrade")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--speed-only", action="store_true")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("labs", nargs="*")
    options = parser.parse_args()
    labs = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(KIT.glob("labs/*/lab.json"))]
    programs = Programs(options.warpgrade, labs)
    rows, good = [], True
    for lab in labs:
        if not options.labs or lab["id"] in options.labs:
            good = (options.speed_only or full_marks(programs, lab)) and good
            measure(programs, lab, options.runs, rows)
            if options.json:
                options.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    table(rows)
    return 0 if good and all(row["verdict"] == "ok" for row in rows if row["kind"] != "accepted") else 1


if __name__ == "__main__":
    sys.exit(main())
