"""Checks the tables that show where the labs have the pieces of the lectures.

A row's last cell names, after a link to a lab's page, tasks, cases and questions of this lab:

    [02](../../labs/02-a/README.md): task `tiling`, cases `a`, `b`, question `tile-bytes`; [03](…): …
"""

import json
import re

import pages
from labs import lab_folders

PAGE = "handout/instructor/lectures.md"
PIECE = re.compile(r"^\*\*(\d+)\*\* ")
TOKEN = re.compile(r"\]\([./]*labs/([^/)]+)/|\b(task|case|question)s?\b|`([^`]+)`")


def names_of(folder):
    """Returns the names in a lab's lab.json: {"task": …, "case": …, "question": …}."""
    lab = json.loads((folder / "lab.json").read_text(encoding="utf-8"))
    return {"task": {one["id"] for one in lab["tasks"]},
            "case": set(lab["cases"]),
            "question": {one["id"] for one in lab.get("questions", [])}}


def rows(text):
    """Yields the cells of each row with a link to a lab."""
    for line in text.split("\n"):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and "/labs/" in cells[-1]:
            yield cells


def references(cell):
    """Yields (lab, kind, name) for each name in a cell."""
    lab = kind = None
    for match in TOKEN.finditer(cell):
        if match.group(1):
            lab, kind = match.group(1), None
        elif match.group(2):
            kind = match.group(2)
        else:
            yield lab, kind, match.group(3)


def problems():
    if not (pages.ROOT / PAGE).is_file():
        return []
    known = {folder.name: names_of(folder) for folder in lab_folders(pages.ROOT)}
    found, numbers, asked = [], [], set()
    for cells in rows(pages.read(PAGE)):
        piece = PIECE.match(cells[0])
        if piece:
            numbers.append(int(piece.group(1)))
        for lab, kind, name in references(cells[-1]):
            asked.add((lab, name))
            if name not in known.get(lab, {}).get(kind, ()):
                found.append(f"{PAGE}: lab {lab} has no {kind or 'task, case or question'} {name}")
    if numbers != list(range(1, len(numbers) + 1)):
        found.append(f"{PAGE}: the pieces are not numbered from 1: {numbers}")
    for lab in sorted({lab for lab, _ in asked} & known.keys()):
        found += [f"{PAGE}: question {name} of lab {lab} is in no table"
                  for name in sorted(known[lab]["question"]) if (lab, name) not in asked]
    return found
