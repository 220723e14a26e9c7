"""Checks the handbook and stages it as a book for MkDocs.

    python3 handout/book/book.py check               checks links, anchors, quoted files, and the labs' pages and sizes
    python3 handout/book/book.py stage FOLDER PART   writes FOLDER/docs and FOLDER/mkdocs.yml; PART: all or student
    python3 handout/book/book.py index SITE          makes the index of a built book a script, so that its search works
                                                     from local files

The pages can also be read as Markdown in the repository. Staging changes four things:

- Files of the kit that a page links to become pages, so that the book is complete.
- `<!-- include FILE from "…" -->` is replaced with lines of FILE: from the first line that contains the text to the end
  of its paragraph. With `to "…"`, the excerpt ends with the next line that contains that text.
- Lines between `<!-- staff -->` and `<!-- /staff -->` are only in the book for staff, lines between `<!-- students` and
  `-->` only in the one for students.
- `<!-- points of all labs -->` is replaced with tables that are generated from each lab.json.

Links in pages are written for the repository; staging rewrites them. This program needs only Python's standard library.
"""

import re
import sys

import lectures
import pages
import sizes
from labs import lab_folders, questions_of
from staging import offline_index, stage

TITLED = re.compile(r'^```(\w+) title="([^"]+)"$')


def check_links(page):
    for target in pages.links(pages.read(page)):
        if pages.is_external(target):
            continue
        path, anchor = pages.resolve(page, target)
        if anchor and path.endswith(".md") and anchor not in pages.anchors(path):
            raise pages.Problem(f"links to {target}, but the page has no such heading")


def check_readers(page):
    pages.for_readers(pages.read(page), is_staff=True)


def check_quotes(page):
    """Checks that a code block whose title is a file of the kit quotes consecutive lines of that file."""
    title, block = None, []
    for line in pages.read(page).split("\n"):
        match = TITLED.match(line)
        if match:
            title, block = match.group(2), []
        elif line.startswith("```") and title:
            if (pages.ROOT / title).is_file() and "\n".join(block) not in pages.read(title):
                raise pages.Problem(f"quotes {title}, but the quoted lines are not in that file")
            title = None
        elif title:
            block.append(line)
        include = pages.INCLUDE.match(line)
        if include:
            pages.excerpt(*include.groups())


def check_questions(folder):
    """Checks the numbers of questions on a lab's page."""
    questions = questions_of(folder)
    before = sum(one["when"] == "before" for one in questions)
    count = "all" if before == len(questions) else str(before)
    sentence = f"asks {len(questions)} questions with numbers of your own. Answer {count} of them"
    if questions and sentence not in " ".join(pages.read(f"labs/{folder.name}/README.md").split()):
        raise pages.Problem(f"labs/{folder.name}/README.md does not say that the lab \"{sentence}\" before coding")


def check_lab(folder):
    lab = folder.name
    for file in (f"labs/{lab}/README.md", f"labs/{lab}/hints.md", f"handout/instructor/labs/{lab}.md"):
        if not (pages.ROOT / file).is_file():
            raise pages.Problem(f"has no {file}")
    if f"$ warpgrade profile {lab}" not in pages.read(f"labs/{lab}/README.md"):
        raise pages.Problem(f"labs/{lab}/README.md shows no part of the output of `warpgrade profile {lab}`")


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
        collect(page, check_readers, page)
    for folder in lab_folders(pages.ROOT):
        collect(folder.name, check_lab, folder)
        collect(folder.name, check_questions, folder)
        problems += [f"{folder.name}: {problem}" for problem in sizes.problems_of(folder)]
    problems += lectures.problems()
    for path in sorted([*pages.ROOT.glob("handout/**/*.md"), *pages.ROOT.glob("labs/**/*.md")]):
        is_page = not {"archive", "sample-class"} & set(path.parts)
        if is_page and path.relative_to(pages.ROOT).as_posix() not in known:
            problems.append(f"{path.relative_to(pages.ROOT)}: is not in any part of the book; see CONTENTS in pages.py")
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
        if len(arguments) == 2 and arguments[0] == "index":
            return offline_index(arguments[1])
    except pages.Problem as problem:
        print(f"book.py: {problem}", file=sys.stderr)
        return 1
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
