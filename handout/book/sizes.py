"""Compares the sizes in names of cases, in hints and on pages of a lab with the cases in lab.json.

The following spellings are recognised, so sizes must be written in this way:

- numbers in the name of a case: `blur-33x9` must have a parameter of 33 and one of 9;
- `n = 1, 31 and 997`, for every parameter of the workload: a case must have each n;
- `1,000 elements`, `element 1,000`, from 1,000 on: a case must have this size;
- `every shape: 17 × 33 × 65, 1 × 1`: a case must have these parameters, in this order;
- `n is 1 to 4,096`, `m and n are at least 1 and at most 4,096`: no case may have more. If no case on the virtual GPU
  has more than half of it, a program with half of it as its limit passes: write `n is 1 to 4,096, on the virtual GPU
  1 to 512`.

Numbers that are derived from a size (bytes, times, blocks) are not checked.
"""

import json
import re

import pages

NUMBER = r"\d{1,3}(?:,\d{3})+|\d+"
LIST = rf"(?:{NUMBER})(?:(?:, | and | or |, and )(?:{NUMBER})(?![\d,]*[\w%]))*"
THINGS = r"elements|integers|floats|points"
SHAPES = r"shape: (\d+(?: × \d+)+(?:, \d+(?: × \d+)+)*)"


def numbers(text):
    return [int(one.replace(",", "")) for one in re.findall(NUMBER, text)]


class Sizes:
    """The sizes of a lab's cases."""

    def __init__(self, lab):
        self.cases = lab["cases"]
        self.of_parameter = {}
        self.largest_on_virtual = {}
        for case in self.cases.values():
            for name, value in case["workload"].items():
                self.of_parameter.setdefault(name, set()).add(value)
                if case.get("only_on") != "cuda":
                    self.largest_on_virtual[name] = max(value, self.largest_on_virtual.get(name, 0))
        self.all = set().union(*self.of_parameter.values())
        self.shapes = {tuple(case["workload"].values()) for case in self.cases.values()}
        self.parameter = "|".join(sorted(map(re.escape, self.of_parameter), key=len, reverse=True))

    def wrong_names(self):
        for name, case in self.cases.items():
            there = {0, *case["workload"].values(), *case.get("device", {}).values()}
            for word in name.split("-"):
                if re.fullmatch(r"\d+(x\d+)*", word) and not set(map(int, word.split("x"))) <= there:
                    yield f"the name of case {name} contains {word}, but its parameters are {case['workload']}"

    def wrong_in(self, line):
        """Yields the sizes in a line that no case has."""
        for name, listed in re.findall(rf"(?<![\w.])({self.parameter}) = ({LIST})(?! [×·/])", line):
            for value in numbers(listed):
                if value not in self.of_parameter[name]:
                    yield f"{name} = {value:,}"
        for before, after in re.findall(rf"\b(?:element ({NUMBER})|({NUMBER}) (?:{THINGS}))\b", line):
            value = numbers(before or after)[0]
            if value >= 1000 and value not in self.all:
                yield f"{value:,} elements"
        for listed in re.findall(SHAPES, line):
            for shape in listed.split(", "):
                extents = tuple(numbers(shape))
                if not any(extents == one[:len(extents)] for one in self.shapes):
                    yield shape
        bound = rf"((?:(?:{self.parameter})(?:, | and )?)+) (?:is|are) (?:1 to|at least 1 [^|]*?and at most) ({NUMBER})"
        for names, most, on_virtual in re.findall(rf"{bound}(?:, on the virtual GPU 1 to ({NUMBER}))?", line):
            for name in re.findall(rf"\b(?:{self.parameter})\b", names):
                if max(self.of_parameter[name]) > numbers(most)[0]:
                    yield f"{name} is at most {most}, but a case has {max(self.of_parameter[name]):,}"
                tested, promised = self.largest_on_virtual[name], numbers(on_virtual or most)[0]
                if 2 * tested <= promised:
                    yield f"{name} is up to {promised:,}, but on the virtual GPU no case has more than {tested:,}"


def paragraphs(text):
    """Yields (number of the first line, text) of each list item, table row and paragraph."""
    first, lines = 1, []
    for i, line in enumerate(text.split("\n") + [""], 1):
        if lines and (line == "" or line.startswith(("- ", "|", "```", "#"))):
            yield first, " ".join(lines)
            lines = []
        if line:
            if not lines:
                first = i
            lines.append(line)


def problems_of(folder):
    """Yields one line per size that a lab names and no case has."""
    lab = folder.name
    text = pages.read(f"labs/{lab}/lab.json")
    sizes = Sizes(json.loads(text))
    yield from sizes.wrong_names()
    hints = [(i, line) for i, line in enumerate(text.split("\n"), 1) if '"hint":' in line or '"title":' in line]
    places = [(f"labs/{lab}/lab.json", hints)]
    for page in (f"labs/{lab}/README.md", f"labs/{lab}/hints.md", f"handout/instructor/labs/{lab}.md"):
        if (pages.ROOT / page).is_file():
            places.append((page, paragraphs(pages.read(page))))
    for file, parts in places:
        for number, part in parts:
            for wrong in sizes.wrong_in(part):
                yield f"{file}:{number} says {wrong}: no case has this size"
