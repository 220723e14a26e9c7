"""The handbook as a book: which pages it has, whether they fit together, and their staging for MkDocs.

    python3 handout/book/book.py check               links, anchors, quoted files, pages of the labs, sizes named there
    python3 handout/book/book.py stage FOLDER PART   writes FOLDER/docs and FOLDER/mkdocs.yml; PART: all or student

The pages read well on their own, as Markdown in the repository. Three things are added here:

- Files of the kit that a page links to become pages, so that the book is complete.
- `<!-- include FILE from "…" -->` becomes the lines of FILE from the first one that holds the text to the end of its
  paragraph; with `to "…"` they end with the first line after it that holds that text.
- `<!-- points of all labs -->` becomes tables made of each lab.json.

Links are written as in the repository. Python's own library is enough; only MkDocs itself reads the result.
"""

import re
import sys

import pages
import sizes
from labs import lab_folders
from staging import stage

TITLED = re.compile(r'^```(\w+) title="([^"]+)"$')


def check_links(page):
    for target in pages.links(pages.read(page)):
        if pages.is_external(target):
            continue
        path, anchor = pages.resolve(page, target)
        if anchor and path.endswith(".md") and anchor not in pages.anchors(path):
            raise pages.Problem(f"links to {target}: there is no such heading")


def check_quotes(page):
    """A code block whose title is a file of the kit holds lines of that file."""
    title, block = None, []
    for line in pages.read(page).split("\n"):
        match = TITLED.match(line)
        if match:
            title, block = match.group(2), []
        elif line.startswith("```") and title:
            if (pages.ROOT / title).is_file() and "\n".join(block) not in pages.read(title):
                raise pages.Problem(f"quotes {title}, but not as it is")
            title = None
        elif title:
            block.append(line)
        include = pages.INCLUDE.match(line)
        if include:
            pages.excerpt(*include.groups())


def check_lab(folder):
    lab = folder.name
    for file in (f"labs/{lab}/README.md", f"labs/{lab}/hints.md", f"handout/instructor/labs/{lab}.md"):
        if not (pages.ROOT / file).is_file():
            raise pages.Problem(f"has no {file}")


def find_problems():
    problems, known = [], [path for _, _, path in pages.all_pages()]

    def collect(name, function, argument):
        try:
            function(argument)
        except pages.Problem as problem:
            problems.append(f"{name}: {problem}")

    for page in known + ["README.md"]:
        collect(page, check_links, page)
        collect(page, check_quotes, page)
    for folder in lab_folders(pages.ROOT):
        collect(folder.name, check_lab, folder)
        problems += [f"{folder.name}: {problem}" for problem in sizes.problems_of(folder)]
    for path in sorted([*pages.ROOT.glob("handout/**/*.md"), *pages.ROOT.glob("labs/**/*.md")]):
        if path.relative_to(pages.ROOT).as_posix() not in known and "sample-class" not in path.parts:
            problems.append(f"{path.relative_to(pages.ROOT)}: is in no part of the book; see CONTENTS in pages.py")
    return problems


def check():
    problems = find_problems()
    for problem in problems:
        print(problem)
    print(f"{len(pages.all_pages())} pages, {len(problems)} problems")
    return 1 if problems else 0


def main(arguments):
    try:
        if arguments == ["check"]:
            return check()
        if len(arguments) == 3 and arguments[0] == "stage" and arguments[2] in ("all", "student"):
            return stage(arguments[1], arguments[2])
    except pages.Problem as problem:
        print(f"book.py: {problem}", file=sys.stderr)
        return 1
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
