"""The handbook as a book: which pages it has, whether they fit together, and their staging for MkDocs.

    python3 handout/book/book.py check               links, anchors, quoted files, pages of the labs
    python3 handout/book/book.py stage FOLDER PART   writes FOLDER/docs and FOLDER/mkdocs.yml; PART: all or student

The pages read well on their own, as Markdown in the repository. Three things are added here:

- Files of the kit that a page links to become pages, so that the book is complete.
- `<!-- include FILE from "…" -->` becomes the lines of FILE from the first one that holds the text to the end of its
  paragraph; with `to "…"` they end with the first line after it that holds that text.
- `<!-- points of all labs -->` becomes tables made of each lab.json.

Links are written as in the repository. Python's own library is enough; only MkDocs itself reads the result.
"""

import pathlib
import re
import sys

from labs import lab_folders, points_of_all_labs

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Part, chapter (empty: at the part's top level), pages in order; a pattern takes what is there.
CONTENTS = [
    ("", "", ["handout/README.md"]),
    ("Student handbook", "", ["handout/student/README.md", "handout/student/set-up.md", "handout/student/scoring.md"]),
    ("Student handbook", "Labs", ["labs/*/README.md", "labs/*/hints.md"]),
    ("Student handbook", "The virtual GPU", ["handout/student/virtual-gpu.md", "handout/student/counters.md",
                                             "handout/student/timeline.md", "handout/student/any-cuda-program.md"]),
    ("Student handbook", "Diagnostics", ["handout/student/diagnostics/*.md"]),
    ("Instructor handbook", "", ["handout/instructor/README.md", "handout/instructor/grading.md",
                                 "handout/instructor/datasets.md", "handout/instructor/adding-a-lab.md",
                                 "handout/instructor/architecture.md"]),
    ("Instructor handbook", "Notes on the labs", ["handout/instructor/labs/*.md"]),
    ("Instructor handbook", "Measurements", ["handout/instructor/validation.md", "handout/instructor/benchmarks.md",
                                             "handout/instructor/measured-h200.md",
                                             "handout/instructor/counters-vs-nsight.md",
                                             "handout/instructor/times-vs-h200.md"]),
    ("Instructor handbook", "Decisions", ["handout/instructor/decisions/*.md"]),
]

FENCE = re.compile(r"^\s*(```|~~~)")
TITLED = re.compile(r'^```(\w+) title="([^"]+)"$')
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
INCLUDE = re.compile(r'^<!-- include (\S+) from "([^"]+)"(?: to "([^"]+)")? -->$')
POINTS = "<!-- points of all labs -->"
IMAGES = (".svg", ".png")
LANGUAGES = {".cpp": "cpp", ".hpp": "cpp", ".cu": "cpp", ".py": "python", ".sh": "sh", ".json": "json"}


class Problem(Exception):
    """One sentence about a page."""


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def pages():
    """All pages in order: (part, chapter, path in the repository). A page of hints follows its lab's."""
    result = []
    for part, chapter, patterns in CONTENTS:
        found = [path.relative_to(ROOT).as_posix() for pattern in patterns for path in sorted(ROOT.glob(pattern))]
        if chapter == "Labs":
            found.sort()  # README.md stands before hints.md of the same lab: upper case first
        result += [(part, chapter, path) for path in found]
    return result


def outside_code(text):
    """The lines with whether they are Markdown, not code."""
    inside = False
    for line in text.split("\n"):
        if FENCE.match(line):
            inside = not inside
            yield line, False
        else:
            yield line, not inside


def links(text):
    """Targets of all links and images of a page."""
    for line, is_markdown in outside_code(text):
        if is_markdown:
            for match in LINK.finditer(re.sub(r"`[^`]*`", "", line)):
                yield match.group(3)


def slug(heading):
    """The anchor that GitHub and the book's settings give a heading."""
    heading = LINK.sub(r"\2", heading).replace("`", "").replace("*", "")
    return re.sub(r"\s", "-", re.sub(r"[^\w\- ]", "", heading.strip().lower()))


def anchors(path):
    headings = [line.lstrip("#") for line, is_markdown in outside_code(read(path)) if is_markdown and line[:1] == "#"]
    return {slug(heading) for heading in headings}


def resolve(page, target):
    """A relative link's target in the repository, without its anchor: ("labs/x.md", "anchor")."""
    file, _, anchor = target.partition("#")
    path = (ROOT / page).parent / file if file else ROOT / page
    resolved = pathlib.Path(re.sub(r"/+", "/", str(path))).resolve()
    if not resolved.is_relative_to(ROOT):
        raise Problem(f"links to {target}, which is outside of the kit")
    if not resolved.exists():
        raise Problem(f"links to {target}, which does not exist")
    return resolved.relative_to(ROOT).as_posix(), anchor


def is_external(target):
    return re.match(r"[a-z]+:", target) is not None


def excerpt(file, first, last):
    """The lines of a file that an include names."""
    if not (ROOT / file).is_file():
        raise Problem(f"includes {file}, which does not exist")
    lines = read(file).split("\n")
    start = next((i for i, line in enumerate(lines) if first in line), None)
    if start is None:
        raise Problem(f'includes {file} from "{first}", which no line of it holds')
    is_end = (lambda line: last in line) if last else (lambda line: line == "")
    end = next((i for i in range(start + 1, len(lines)) if is_end(lines[i])), None)
    if end is None:
        raise Problem(f'includes {file} to "{last}", which no line after the first holds')
    return "\n".join(lines[start:end + 1 if last else end])


# ---- check ----


def check_links(page):
    for target in links(read(page)):
        if is_external(target):
            continue
        path, anchor = resolve(page, target)
        if anchor and path.endswith(".md") and anchor not in anchors(path):
            raise Problem(f"links to {target}: there is no such heading")


def check_quotes(page):
    """A code block whose title is a file of the kit holds lines of that file."""
    title, block = None, []
    for line in read(page).split("\n"):
        match = TITLED.match(line)
        if match:
            title, block = match.group(2), []
        elif line.startswith("```") and title:
            if (ROOT / title).is_file() and "\n".join(block) not in read(title):
                raise Problem(f"quotes {title}, but not as it is")
            title = None
        elif title:
            block.append(line)
        include = INCLUDE.match(line)
        if include:
            excerpt(*include.groups())


def check_lab(folder):
    lab = folder.name
    for file in (f"labs/{lab}/README.md", f"labs/{lab}/hints.md", f"handout/instructor/labs/{lab}.md"):
        if not (ROOT / file).is_file():
            raise Problem(f"has no {file}")


def find_problems():
    problems, known = [], [path for _, _, path in pages()]

    def collect(name, function, argument):
        try:
            function(argument)
        except Problem as problem:
            problems.append(f"{name}: {problem}")

    for page in known + ["README.md"]:
        collect(page, check_links, page)
        collect(page, check_quotes, page)
    for folder in lab_folders(ROOT):
        collect(folder.name, check_lab, folder)
    for path in sorted([*ROOT.glob("handout/**/*.md"), *ROOT.glob("labs/**/*.md")]):
        if path.relative_to(ROOT).as_posix() not in known and "sample-class" not in path.parts:
            problems.append(f"{path.relative_to(ROOT)}: is in no part of the book; see CONTENTS in handout/book/book.py")
    return problems


def check():
    problems = find_problems()
    for problem in problems:
        print(problem)
    print(f"{len(pages())} pages, {len(problems)} problems")
    return 1 if problems else 0


# ---- stage ----


def staged(path):
    """Where a file of the kit stands in the book."""
    if path == "handout/README.md":
        return "index.md"
    if path.startswith("handout/"):
        place = path.removeprefix("handout/")
    elif path.startswith("labs/") and path.endswith(("/README.md", "/hints.md")):
        place = "student/" + path
    else:
        place = "files/" + path
    return re.sub(r"README\.md$", "index.md", place)


def relative(from_page, to):
    depth = staged(from_page).count("/")
    return "../" * depth + to


class Staging:
    """Writes pages, and what they link to."""

    def __init__(self, docs, part):
        self.docs = docs
        self.pages = [page for page in pages() if part == "all" or page[0] in ("", "Student handbook")]
        self.known = {path for _, _, path in self.pages}
        self.written = set()

    def write(self, place, text):
        file = self.docs / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def place_of(self, path):
        """The place of what a page links to, made when it is no page of the book; None: not in this part."""
        if path in self.known:
            return staged(path)
        if path.endswith(IMAGES):
            file = self.docs / staged(path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes((ROOT / path).read_bytes())
            return staged(path)
        if path.startswith(("solutions/", "handout/instructor/")) and not self.is_for_staff():
            return None
        if path.endswith(".md") and not self.is_for_staff() and path != "README.md":
            return None
        place = staged(path + "/list.md" if (ROOT / path).is_dir() else path + ".md" if path != "README.md" else path)
        if place not in self.written:
            self.written.add(place)
            self.write(place, self.listing(path) if (ROOT / path).is_dir() else self.source(path))
        return place

    def is_for_staff(self):
        return any(part == "Instructor handbook" for part, _, _ in self.pages)

    def source(self, path):
        if path == "README.md":
            return self.text_of(path)
        language = LANGUAGES.get(pathlib.Path(path).suffix, "text")
        return f"# {path}\n\n````{language}\n{read(path)}````\n"

    def listing(self, folder):
        """A page in place of a link to a folder."""
        inside = [path for _, _, path in self.pages if path.startswith(folder + "/")]
        heading = folder + "/"
        if inside:
            heading = next(chapter for _, chapter, path in self.pages if path == inside[0])
            entries = [f"- [{self.title(path)}]({relative(folder + '/list.md', staged(path))})" for path in inside]
        else:
            entries = [f"- `{path.relative_to(ROOT / folder)}`" for path in sorted((ROOT / folder).rglob("*"))
                       if path.is_file() and path.name[0] != "."]
        return f"# {heading}\n\n" + "\n".join(entries) + "\n"

    def title(self, path):
        return next(line for line in read(path).split("\n") if line.startswith("# ")).removeprefix("# ")

    def text_of(self, page):
        def moved(match):
            image, text, target = match.groups()
            if is_external(target) or target.startswith("#"):
                return match.group(0)
            path, anchor = resolve(page, target)
            place = self.place_of(path)
            if place is None:
                return text
            return f"{image}[{text}]({relative(page, place)}{'#' + anchor if anchor else ''})"

        lines = []
        for line, is_markdown in outside_code(read(page)):
            include = INCLUDE.match(line)
            if include and is_markdown:
                file = include.group(1)
                language = LANGUAGES.get(pathlib.Path(file).suffix, "text")
                lines += [f'```{language} title="{file}"', excerpt(*include.groups()), "```"]
            elif line == POINTS and is_markdown:
                lines.append(points_of_all_labs(ROOT, lambda lab: relative(page, staged(f"labs/{lab}/README.md"))))
            else:
                lines.append(LINK.sub(moved, line) if is_markdown else line)
        return "\n".join(lines)

    def navigation(self):
        """The `nav` of mkdocs.yml: sections in sections; titles of pages are their headings."""
        lines, before = ["nav:"], []
        for part, chapter, path in self.pages:
            lab = self.title(str(pathlib.Path(path).parent / "README.md")) if chapter == "Labs" else ""
            sections = [name for name in (part, chapter, lab) if name]
            for depth, name in enumerate(sections):
                if sections[:depth + 1] != before[:depth + 1]:
                    lines.append("  " * (depth + 1) + f'- "{name}":')
            lines.append("  " * (len(sections) + 1) + f"- {staged(path)}")
            before = sections
        return "\n".join(lines) + "\n"


def stage(folder, part):
    folder = pathlib.Path(folder).resolve()
    staging = Staging(folder / "docs", part)
    for _, _, page in staging.pages:
        try:
            staging.write(staged(page), staging.text_of(page))
        except Problem as problem:
            raise Problem(f"{page}: {problem}") from None
    settings = read("handout/book/mkdocs.yml")
    settings += f'docs_dir: "{folder / "docs"}"\nsite_dir: "{folder / "site"}"\n' + staging.navigation()
    (folder / "mkdocs.yml").write_text(settings, encoding="utf-8")
    staging.write("book.css", read("handout/book/book.css"))
    return 0


def main(arguments):
    try:
        if arguments == ["check"]:
            return check()
        if len(arguments) == 3 and arguments[0] == "stage" and arguments[2] in ("all", "student"):
            return stage(arguments[1], arguments[2])
    except Problem as problem:
        print(f"book.py: {problem}", file=sys.stderr)
        return 1
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
