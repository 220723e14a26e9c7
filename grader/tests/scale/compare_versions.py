"""Compares the results of two versions of the kit, byte for byte but for the words of messages.

    compare_versions.py OLD_KIT OLD_PROGRAM NEW_KIT NEW_PROGRAM WORK

Grades with both programs: the sample class, and every solution, accepted and wrong file of OLD_KIT as a submission.
Exports the sample class in all formats with both. Prints one line for each kind of file; ends with 1 where two
files differ in more than words. The words of messages (WORDS) and who made the result (provenance) are left out of the
comparison; how many messages were reworded is printed. Results of both programs are kept in WORK.
"""

import base64
import json
import pathlib
import re
import shutil
import subprocess
import sys

WORDS = ("what", "likely_cause", "try", "skip_reason", "message", "detail", "description", "title", "next_step", "hint",
         "output", "name", "feedback", "first", "pattern", "reason", "note", "also", "text", "summary")
PROVENANCE = ("provenance", "grader", "started", "ended", "rubric_sha256", "settings", "grader_version")
TEXT_EXPORTS = {"csv", "canvas", "moodle"}
FORMATS = ["gradescope", "prairielearn", "autolab", "github-classroom", "canvas", "moodle", "junit", "csv"]
BASE64 = re.compile(r"[A-Za-z0-9+/]{20,}={0,2}\n?")
WORDY = re.compile(r"[a-z]{2,} [a-z]{1,}")  # a sentence, not an id


class Comparison:
    def __init__(self):
        self.files, self.equal, self.reworded, self.problems = 0, 0, 0, []

    def masked(self, old, new, where):
        """Compares two JSON values; counts strings under a key of WORDS that differ."""
        if isinstance(old, dict) and isinstance(new, dict):
            if list(old) != list(new):
                self.problems.append(f"{where}: keys {sorted(set(old) ^ set(new)) or 'in another order'}")
                return
            for key in old:
                if key not in PROVENANCE:
                    self.words(key, old[key], new[key], f"{where}.{key}")
        elif isinstance(old, list) and isinstance(new, list):
            if len(old) != len(new):
                self.problems.append(f"{where}: {len(old)} entries, now {len(new)}")
                return
            for index, (a, b) in enumerate(zip(old, new)):
                self.masked(a, b, f"{where}[{index}]")
        elif isinstance(old, str) and isinstance(new, str) and WORDY.search(old) and WORDY.search(new):
            self.reworded += old != new
        elif old != new:
            self.problems.append(f"{where}: {old!r}, now {new!r}")

    def words(self, key, old, new, where):
        if old != new and key in WORDS and isinstance(old, str) and isinstance(new, str):
            self.reworded += 1
        else:
            self.masked(old, new, where)

    def text(self, old, new, where):
        """Lines of other formats: equal, or different in sentences only."""
        a, b = old.splitlines(), new.splitlines()
        if len(a) != len(b):
            self.reworded += 1
            return
        for line, (x, y) in enumerate(zip(a, b), 1):
            if x == y:
                continue
            if WORDY.search(x) and WORDY.search(y):
                self.reworded += 1
            else:
                self.problems.append(f"{where}:{line}: {x!r}, now {y!r}")

    def compare(self, old, new):
        names = sorted({p.relative_to(r).as_posix() for r in (old, new) for p in r.rglob("*") if p.is_file()})
        for name in names:
            a, b = old / name, new / name
            self.files += 1
            if not a.is_file() or not b.is_file():
                self.problems.append(f"{name}: only in {'new' if b.is_file() else 'old'}")
            elif a.read_bytes() == b.read_bytes():
                self.equal += 1
            elif name.endswith(".json"):
                self.masked(json.loads(a.read_text()), json.loads(b.read_text()), name)
            elif BASE64.fullmatch(a.read_text(errors="replace")):  # JSON for GitHub Classroom
                self.masked(*(json.loads(base64.b64decode(file.read_text())) for file in (a, b)), name)
            else:
                self.text(a.read_text(errors="replace"), b.read_text(errors="replace"), name)

    def line(self, title):
        return (f"{title}: {self.files} files, {self.equal} byte-identical, {self.reworded} reworded messages, "
                f"{len(self.problems)} other differences")


def classes(kit, work):
    """The sample class, and one class for each lab of all its variants."""
    yield "sample class", kit / "handout/instructor/sample-class"
    variants = work / "variants"
    shutil.rmtree(variants, ignore_errors=True)
    for lab in sorted((kit / "solutions").iterdir()):
        expected = json.loads((lab / "expected.json").read_text())
        source = json.loads((kit / "labs" / lab.name / "lab.json").read_text())["sources"][0]
        for name in expected["files"]:
            if (lab / name).is_file():
                folder = variants / f"{lab.name}--{re.sub(r'[^a-z0-9_]+', '-', name.removesuffix('.cu'))}" / lab.name
                folder.mkdir(parents=True)
                shutil.copyfile(lab / name, folder / source)
    yield "variants of lint", variants


def grade(kit, program, submissions, out):
    shutil.rmtree(out, ignore_errors=True)
    with open(f"{out}.log", "w", encoding="utf-8") as log:
        code = subprocess.run([program, "grade", submissions, "--out", out, "--device", "virtual"], stdout=log,
                              stderr=log, cwd=kit, env={"WARPGRADE_HOME": str(kit), **__import__("os").environ}).returncode
    return code


def kept(out):
    """What of a graded class is compared: without the journal, whose order is that of time."""
    for name in ("journal.jsonl", "manifest.json"):
        (out / name).unlink(missing_ok=True)
    shutil.rmtree(out / "sources", ignore_errors=True)
    return out


def main(old_kit, old_program, new_kit, new_program, work):
    kits = {"old": (old_kit, old_program), "new": (new_kit, new_program)}
    failed = False
    for title, submissions in classes(old_kit, work):
        outs = {}
        for side, (kit, program) in kits.items():
            outs[side] = work / f"{side}-{title.replace(' ', '-')}"
            print(f"{title}, {side}: exit code {grade(kit, program, submissions, outs[side])}", flush=True)
        for kind in FORMATS if title == "sample class" else []:
            results = {}
            for side, (kit, program) in kits.items():
                results[side] = work / f"{side}-export" / kind
                shutil.rmtree(results[side], ignore_errors=True)
                results[side].mkdir(parents=True)
                target = results[side] / ("all" if kind not in ("csv", "canvas", "moodle", "junit") else "all.txt")
                subprocess.run([program, "export", outs[side], "--format", kind, "--out", target], cwd=kit,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            comparison = Comparison()
            comparison.compare(results["old"], results["new"])
            print(comparison.line(f"export {kind}"), *comparison.problems[:10], sep="\n  ", flush=True)
            failed |= bool(comparison.problems)
        comparison = Comparison()
        comparison.compare(kept(outs["old"]), kept(outs["new"]))
        print(comparison.line(title), *comparison.problems[:20], sep="\n  ", flush=True)
        failed |= bool(comparison.problems)
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    paths = [pathlib.Path(path).resolve() for path in sys.argv[1:]]
    paths[4].mkdir(parents=True, exist_ok=True)
    sys.exit(main(*paths))
