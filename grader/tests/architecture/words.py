"""Checks the vocabulary of pages, messages and comments (grader/doc/building.md, "Plain English").

    words.py [ROOT]    prints FILE:LINE: word → what to write instead, and ends with 1 if there is one

The words are an idiom that a reader of technical English stumbles over; INSTEAD has the plain ones. Checked are Markdown
pages outside code, string literals and comments of C++ and CUDA sources, titles, hints and proofs in JSON files, and
comments of scripts and CMake files. A line of ALLOWED, a regular expression, is never reported.
"""

import pathlib
import re
import subprocess
import sys

INSTEAD = {
    r"told|tells?|telling": "report, show, state, distinguish",
    r"untold": "unreported",
    r"nobody|somebody": "no thread, the caller, the student, the passive voice",
    r"behind": "after",
    r"besides?": "next to, compared with, in addition",
    r"lies|lay": "is stored, is in, is defined",
    r"to be had": "available",
    r"looked at|looks at": "checks, inspects, considers",
    r"mend(?:ed|s|ing)?": "fix",
    r"none the less|all the same": "still, however",
    r"goes on|go on": "continues",
    r"at once": "immediately, at the same time",
}
ALLOWED = [
    r"arithmetic behind", r"\"nobody\"",
]
RULES = [(re.compile(rf"(?<![\w`'/.-])(?:{words})(?![\w`'/-])", re.IGNORECASE), plain) for words, plain in INSTEAD.items()]
ANY = re.compile("|".join(INSTEAD), re.IGNORECASE)  # most lines have none: one search instead of one for each rule
EXCEPTIONS = re.compile("|".join(ALLOWED))

FENCE = re.compile(r"^\s*(```|~~~)")
CPP_TEXT = re.compile(r"'(?:[^'\\\n]|\\.)'|" r'//[^\n]*|/\*.*?\*/|R"\w*\(.*?\)\w*"|"(?:[^"\\\n]|\\.)*"', re.DOTALL)
JSON_TEXT = re.compile(r'"(?:title|hint|why)":\s*"((?:[^"\\]|\\.)*)"')
# Texts of others, and data.
SKIPPED = ("datasets/", "grader/vgpu/cudart/include/", "grader/tests/fuzz/corpus/", "grader/tests/architecture/words")


def tracked(root):
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=False)
    if listed.returncode == 0:
        return [name for name in listed.stdout.decode().split("\0") if name]
    return [path.relative_to(root).as_posix() for path in sorted(root.rglob("*")) if path.is_file()]


def prose(name, text):
    """(line number, line) of what a person reads."""
    if name.endswith(".md"):
        code = False
        for number, line in enumerate(text.split("\n"), 1):
            if FENCE.match(line):
                code = not code
            elif not code:
                yield number, re.sub(r"`[^`]*`", "", line)
    elif name.endswith((".cpp", ".hpp", ".cu", ".cuh", ".h")):
        first, counted = 1, 0
        for found in CPP_TEXT.finditer(text):
            first += text.count("\n", counted, found.start())
            counted = found.start()
            for offset, line in enumerate(found.group().split("\n")):
                yield first + offset, line
    elif name.endswith(".json"):
        for number, line in enumerate(text.split("\n"), 1):
            for found in JSON_TEXT.finditer(line):
                yield number, found.group(1)
    elif name.endswith((".sh", ".cmake", "CMakeLists.txt", ".py")):
        for number, line in enumerate(text.split("\n"), 1):
            if "#" in line:
                yield number, line[line.index("#"):]


def findings(root):
    for name in tracked(root):
        path = root / name
        if name.startswith(SKIPPED) or not path.is_file():
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for number, line in prose(name, text):
            if not ANY.search(line) or EXCEPTIONS.search(line):
                continue
            for rule, plain in RULES:
                for found in rule.finditer(line):
                    yield f"{name}:{number}: \"{found.group()}\": write {plain}"


if __name__ == "__main__":
    found = list(findings(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[3]).resolve()))
    print("\n".join(found) or "no word of the list")
    sys.exit(1 if found else 0)
