"""Writes the handbook for MkDocs: pages with rewritten links, linked files of the kit, and settings."""

import json
import pathlib
import re
import shutil

import pages
from labs import points_of_all_labs

POINTS = "<!-- points of all labs -->"
IMAGES = (".svg", ".png")
LANGUAGES = {".cpp": "cpp", ".hpp": "cpp", ".cu": "cpp", ".py": "python", ".sh": "sh", ".json": "json"}


def staged(path):
    """Returns the place of a file of the kit in the book."""
    if path == "handout/README.md":
        return "index.md"
    if path.startswith("handout/"):
        place = path.removeprefix("handout/")
    elif path.startswith("grader/doc/"):
        place = "developer/" + path.removeprefix("grader/doc/")
    elif path.startswith("grader/validate/") and path.endswith(".md"):
        place = "developer/" + path.removeprefix("grader/validate/")
    elif path.startswith("labs/") and path.endswith(("/README.md", "/hints.md")):
        place = "student/" + path
    else:
        place = "files/" + path.removeprefix(".")  # MkDocs skips hidden folders
    return re.sub(r"README\.md$", "index.md", place)


def relative(from_page, to):
    depth = staged(from_page).count("/")
    return "../" * depth + to


class Staging:
    """Writes pages and the files that they link to."""

    def __init__(self, docs, part):
        self.docs = docs
        self.pages = [page for page in pages.all_pages() if part == "all" or page[0] in ("", "Student handbook")]
        self.known = {path for _, _, path in self.pages}
        self.written = set()

    def write(self, place, text):
        file = self.docs / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def place_of(self, path):
        """Returns the place of a link's target, and writes the target if it is not a page. None: not in this part."""
        if path in self.known:
            return staged(path)
        if path.endswith(IMAGES):
            file = self.docs / staged(path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes((pages.ROOT / path).read_bytes())
            return staged(path)
        if path.startswith(("solutions/", "handout/instructor/", "grader/doc/")) and not self.is_for_staff():
            return None
        if path.endswith(".md") and not self.is_for_staff() and path != "README.md":
            return None
        if (pages.ROOT / path).is_dir():
            place, text_of = staged(path + "/list.md"), self.listing
        elif path == "README.md":
            place, text_of = staged(path), self.text_of
        else:
            place, text_of = staged(path + ".md"), self.source
        if place not in self.written:
            self.written.add(place)
            self.write(place, text_of(path))
        return place

    def is_for_staff(self):
        return any(part == "Instructor handbook" for part, _, _ in self.pages)

    def source(self, path):
        language = LANGUAGES.get(pathlib.Path(path).suffix, "text")
        return f"# {path}\n\n````{language}\n{pages.read(path)}````\n"

    def listing(self, folder):
        """Returns a page that lists a folder, as the target of links to the folder."""
        inside = [path for _, _, path in self.pages if path.startswith(folder + "/")]
        heading = folder + "/"
        if inside:
            heading = next(chapter for _, chapter, path in self.pages if path == inside[0])
            entries = [f"- [{self.title(path)}]({relative(folder + '/list.md', staged(path))})" for path in inside]
        else:
            files = sorted(path for path in (pages.ROOT / folder).rglob("*") if path.is_file() and path.name[0] != ".")
            entries = [f"- `{path.relative_to(pages.ROOT / folder)}`" for path in files]
        return f"# {heading}\n\n" + "\n".join(entries) + "\n"

    def title(self, path):
        return next(line for line in pages.read(path).split("\n") if line.startswith("# ")).removeprefix("# ")

    def text_of(self, page):
        def moved(match):
            image, text, target = match.groups()
            is_code = any(code.start() <= match.start() < code.end() for code in pages.CODE.finditer(match.string))
            if is_code or pages.is_external(target) or target.startswith("#"):
                return match.group(0)
            path, anchor = pages.resolve(page, target)
            place = self.place_of(path)
            if place is None:
                return text
            return f"{image}[{text}]({relative(page, place)}{'#' + anchor if anchor else ''})"

        def replaced(line):
            include = pages.INCLUDE.match(line)
            if include:
                file = include.group(1)
                language = LANGUAGES.get(pathlib.Path(file).suffix, "text")
                return f'```{language} title="{file}"\n{pages.excerpt(*include.groups())}\n```'
            if line == POINTS:
                return points_of_all_labs(pages.ROOT, lambda lab: relative(page, staged(f"labs/{lab}/README.md")))
            return line

        # Links are moved first: lines that are then included are code.
        return "\n".join(
            "\n".join(map(replaced, pages.LINK.sub(moved, section).split("\n"))) if is_markdown else section
            for section, is_markdown in pages.sections(pages.for_readers(pages.read(page), self.is_for_staff())))

    def navigation(self):
        """Returns the `nav` of mkdocs.yml: nested sections. The titles of pages are their headings."""
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
        except pages.Problem as problem:
            raise pages.Problem(f"{page}: {problem}") from None
    settings = pages.read("handout/book/mkdocs.yml")
    settings += f'docs_dir: "{folder / "docs"}"\nsite_dir: "{folder / "site"}"\n' + staging.navigation()
    (folder / "mkdocs.yml").write_text(settings, encoding="utf-8")
    staging.write("book.css", pages.read("handout/book/book.css"))
    shutil.copytree(pages.ROOT / "handout/book/theme", folder / "theme", dirs_exist_ok=True)
    return 0


def offline_index(site):
    """Turns MkDocs' index into a script: browsers load scripts from local files, but no JSON."""
    folder = pathlib.Path(site) / "search"
    index = json.loads((folder / "search_index.json").read_text(encoding="utf-8"))
    text = json.dumps(index, ensure_ascii=True, separators=(",", ":"))
    (folder / "search_index.js").write_text(f"var __search = {{index: Promise.resolve({text})}};\n", encoding="utf-8")
    (folder / "search_index.json").unlink()
    return 0
