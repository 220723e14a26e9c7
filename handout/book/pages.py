"""The pages of the handbook and their contents: links, anchors, included lines."""

import itertools
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Part, chapter (empty: top level of the part), and pages in order. A pattern selects all matching pages.
CONTENTS = [
    ("", "", ["handout/README.md"]),
    ("Student handbook", "", ["handout/student/README.md", "handout/student/set-up.md", "handout/student/scoring.md",
                            "handout/student/watch.md", "handout/student/questions.md", "handout/student/handing-in.md",
                            "handout/student/what-you-may-use.md"]),
    ("Student handbook", "Labs", ["labs/*/README.md", "labs/*/hints.md"]),
    ("Student handbook", "The virtual GPU", ["handout/student/virtual-gpu.md", "handout/student/counters.md",
                                             "handout/student/profile.md", "handout/student/timeline.md"]),
    ("Student handbook", "Any CUDA program", ["handout/student/any-cuda-program.md"]),
    ("Student handbook", "Diagnostics", ["handout/student/diagnostics/*.md"]),
    ("Instructor handbook", "", ["handout/instructor/README.md", "handout/instructor/grading.md", "handout/instructor/releasing.md",
                                 "handout/instructor/submissions.md", "handout/instructor/slurm.md",
                                 "handout/instructor/reports.md", "handout/instructor/course.md",
                                 "handout/instructor/exports.md",
                                 "handout/instructor/similarity.md", "handout/instructor/threat-model.md",
                                 "handout/instructor/datasets.md", "handout/instructor/adding-a-lab.md",
                                 "handout/instructor/lectures.md",
                                 "handout/instructor/measured-h200.md"]),
    ("Instructor handbook", "Notes on the labs", ["handout/instructor/labs/*.md"]),
    ("Instructor handbook", "Solutions at the limit", ["handout/instructor/challenge/README.md",
                                                       "handout/instructor/challenge/[0-9]*.md"]),
    ("Developer documents", "", ["grader/doc/README.md", "grader/doc/architecture.md", "grader/doc/building.md",
                                 ".github/CONTRIBUTING.md"]),
    ("Developer documents", "Measurements", ["grader/doc/validation.md", "grader/doc/benchmarks.md",
                                             "grader/validate/counters-vs-nsight.md",
                                             "grader/validate/times-vs-h200.md"]),
    ("Developer documents", "Decisions", ["grader/doc/decisions/*.md"]),
]

FENCE = re.compile(r"^\s*(```|~~~)")
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
CODE = re.compile(r"`(?:[^`\n]|\n(?!\n))*`")  # within a paragraph
INCLUDE = re.compile(r'^<!-- include (\S+) from "([^"]+)"(?: to "([^"]+)")? -->$')
STAFF = re.compile(r"^<!-- staff -->\n(.*?)^<!-- /staff -->\n", re.M | re.S)
STUDENTS = re.compile(r"^<!-- students\n(.*?)^-->\n", re.M | re.S)  # not shown in the repository
FOR_READERS = re.compile(r"^<!-- /?(staff|students)\b", re.M)


class Problem(Exception):
    """A problem of a page, described in one sentence."""


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def all_pages():
    """Returns all pages in order: (part, chapter, path in the repository). The hints of a lab follow the lab's page."""
    result = []
    for part, chapter, patterns in CONTENTS:
        found = [path.relative_to(ROOT).as_posix() for pattern in patterns for path in sorted(ROOT.glob(pattern))]
        if chapter == "Labs":
            found.sort()  # README.md precedes hints.md of the same lab: upper case sorts first
        result += [(part, chapter, path) for path in found]
    return result


def for_readers(text, is_staff):
    """Returns the text without what is for the readers of the other book."""
    text = STAFF.sub(r"\1" if is_staff else "", text)
    text = STUDENTS.sub("" if is_staff else r"\1", text)
    if FOR_READERS.search(text):
        raise Problem("has a mark <!-- staff -->, <!-- /staff --> or <!-- students without its counterpart")
    return text


def outside_code(text):
    """Yields each line and whether it is Markdown outside code blocks."""
    inside = False
    for line in text.split("\n"):
        if FENCE.match(line):
            inside = not inside
            yield line, False
        else:
            yield line, not inside


def sections(text):
    """Yields the page in pieces, each whole code blocks or whole Markdown between them: (text, is Markdown).

    A link may be broken across lines, so that links are looked for in pieces, not in lines.
    """
    for is_markdown, lines in itertools.groupby(outside_code(text), key=lambda line: line[1]):
        yield "\n".join(line for line, _ in lines), is_markdown


def links(text):
    """Yields the targets of all links and images of a page."""
    for section, is_markdown in sections(text):
        if is_markdown:
            for match in LINK.finditer(CODE.sub("", section)):
                yield match.group(3)


def slug(heading):
    """Returns the anchor of a heading, as GitHub and the book's settings generate it."""
    heading = LINK.sub(r"\2", heading).replace("`", "").replace("*", "")
    return re.sub(r"\s", "-", re.sub(r"[^\w\- ]", "", heading.strip().lower()))


def anchors(path):
    headings = [line.lstrip("#") for line, is_markdown in outside_code(read(path)) if is_markdown and line[:1] == "#"]
    return {slug(heading) for heading in headings}


def resolve(page, target):
    """Returns the path in the repository and the anchor of a relative link: ("labs/x.md", "anchor")."""
    file, _, anchor = target.partition("#")
    path = (ROOT / page).parent / file if file else ROOT / page
    resolved = pathlib.Path(re.sub(r"/+", "/", str(path))).resolve()
    if not resolved.is_relative_to(ROOT):
        raise Problem(f"links to {target}, which is outside the kit")
    if not resolved.exists():
        raise Problem(f"links to {target}, which does not exist")
    return resolved.relative_to(ROOT).as_posix(), anchor


def is_external(target):
    return re.match(r"[a-z]+:", target) is not None


def excerpt(file, first, last):
    """Returns the lines of a file that an include selects."""
    if not (ROOT / file).is_file():
        raise Problem(f"includes {file}, which does not exist")
    lines = read(file).split("\n")
    start = next((i for i, line in enumerate(lines) if first in line), None)
    if start is None:
        raise Problem(f'includes {file} from "{first}", but no line of the file contains this text')
    is_end = (lambda line: last in line) if last else (lambda line: line == "")
    end = next((i for i in range(start + 1, len(lines)) if is_end(lines[i])), None)
    if end is None:
        raise Problem(f'includes {file} to "{last}", but no line after the first contains this text')
    return "\n".join(lines[start:end + 1 if last else end])
