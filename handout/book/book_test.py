"""Tests of book.py with small generated kits: each mistake in a page is found and reported."""

import pathlib
import tempfile
import unittest

import book
import outputs
import pages
import staging

LAB = """{"id": "01-a", "title": "A lab", "tasks": [
  {"id": "t", "title": "First", "points": 60, "cases": ["one"]},
  {"id": "u", "points": 40, "bonus": true, "needs": ["t"],
   "objectives": [{"counter": "barriers", "case": "one", "at_most": 2, "naive": 9, "solution": 1}],
   "speedup": {"case": {"virtual": "one", "cuda": "big"}, "virtual": {"full": 4, "half": 2, "solution": 5},
               "cuda": {"full": 1.5, "half": 1.1}}}],
 "cases": {
  "one": {"workload": {"n": 1, "m": 7}},
  "big-4096": {"workload": {"n": 4096, "m": 7}, "device": {"copy_engines": 1}}}}"""

LAB_PAGE = "# 01 A\n\n$ warpgrade profile 01-a\n"

FILES = {
    "README.md": "# Kit\n",
    "handout/README.md": "# Handbook\n\n[scoring](student/scoring.md#how-it-is-done) and [notes](instructor/labs/)\n",
    "handout/student/README.md": "# Student\n",
    "handout/student/scoring.md": "# Scoring\n\n## How it *is* `done`\n\n<!-- points of all labs -->\n",
    "handout/instructor/grading.md": "# Grading\n",
    "handout/instructor/labs/01-a.md": "# Note\n\n[code](../../../grader/a.cpp)\n",
    "handout/book/mkdocs.yml": "site_name: x\n",
    "handout/book/book.css": "",
    "handout/book/theme/main.html": "{% extends %}",
    "labs/01-a/README.md": LAB_PAGE,
    "labs/01-a/hints.md": "# Hints\n",
    "labs/01-a/lab.json": LAB,
    "grader/a.cpp": "// a\nint one() {\n  return 1;\n}\n\nint two();\n",
}


class Book(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.addCleanup(setattr, pages, "ROOT", pages.ROOT)
        pages.ROOT = pathlib.Path(self.folder.name).resolve() / "kit"
        for path, text in FILES.items():
            self.write(path, text)

    def write(self, path, text):
        file = pages.ROOT / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def problems(self):
        return book.find_problems()

    def problem_with(self, text):
        self.write("handout/student/README.md", text)
        problems = self.problems()
        self.assertEqual(len(problems), 1, problems)
        return problems[0]

    def stage(self, part):
        out = pages.ROOT.parent / "out"
        book.stage(out, part)
        return out

    def test_correct_kit_has_no_problems(self):
        self.assertEqual(self.problems(), [])

    def test_broken_links(self):
        self.assertIn("does not exist", self.problem_with("[x](nowhere.md)"))
        self.assertIn("no such heading", self.problem_with("[x](scoring.md#how)"))
        self.assertIn("outside the kit", self.problem_with("[x](../../../../etc/passwd)"))
        self.assertIn("does not exist", self.problem_with("![x](figures/none.svg)"))

    def test_links_broken_across_lines(self):
        self.assertIn("does not exist", self.problem_with("[the\nscore](nowhere.md)"))
        self.write("handout/student/README.md", "# A\n\na `b\nc` [the\nscore](scoring.md)\n")
        self.assertEqual(self.problems(), [])
        self.assertIn("[the\nscore](../student/scoring.md)", (self.stage("all") / "docs/student/index.md").read_text())

    def test_files_in_hidden_folders(self):
        self.write(".github/CONTRIBUTING.md", "# Contributing\n")
        self.write("handout/instructor/grading.md", "# Grading\n\n[fix it](../../.github/CONTRIBUTING.md)\n")
        out = self.stage("all")
        self.assertIn("(../files/github/CONTRIBUTING.md)", (out / "docs/instructor/grading.md").read_text())
        self.assertIn("- files/github/CONTRIBUTING.md", (out / "mkdocs.yml").read_text())
        self.assertTrue((out / "docs/files/github/CONTRIBUTING.md").exists())

    def test_links_in_code_are_ignored(self):
        text = "# Code\n\n`[x](y)` and [`z`](scoring.md)\n\n```cpp\n[x](y)\n```\n"
        self.write("handout/student/README.md", text)
        self.assertEqual(self.problems(), [])
        self.assertEqual((self.stage("all") / "docs/student/index.md").read_text(),
                         text.replace("scoring.md", "../student/scoring.md"))

    def test_quotations(self):
        quote = '```cpp title="grader/a.cpp"\nint one() {\n  return %d;\n}\n```\n'
        self.assertIn("not in that file", self.problem_with(quote % 2))
        self.write("handout/student/README.md", quote % 1)
        self.assertEqual(self.problems(), [])

    def test_includes(self):
        self.assertIn("no line of the file contains", self.problem_with('<!-- include grader/a.cpp from "three" -->'))
        self.assertIn("does not exist", self.problem_with('<!-- include grader/b.cpp from "one" -->'))
        self.assertEqual(pages.excerpt("grader/a.cpp", "int one", None), "int one() {\n  return 1;\n}")
        self.assertEqual(pages.excerpt("grader/a.cpp", "// a", "return"), "// a\nint one() {\n  return 1;")

    def test_pages_of_labs(self):
        (pages.ROOT / "labs/01-a/hints.md").unlink()
        self.assertEqual(self.problems(), ["01-a: has no labs/01-a/hints.md"])

    def test_own_run_on_pages(self):
        self.write("labs/01-a/README.md", "# 01 A\n")
        self.assertEqual(self.problems(),
                         ["01-a: labs/01-a/README.md shows no part of the output of `warpgrade profile 01-a`"])

    def test_number_of_questions_on_pages(self):
        question = '"questions": [{"id": "q", "when": "before"}, {"id": "r", "when": "after"}], "tasks"'
        self.write("labs/01-a/lab.json", LAB.replace('"tasks"', question, 1))
        self.assertIn('"asks 2 questions with numbers of your own. Answer 1 of them"', self.problems()[0])
        self.write("labs/01-a/README.md", LAB_PAGE + "\nasks 2 questions with numbers of your own. Answer\n1 of them\n")
        self.assertEqual(self.problems(), [])

    def lecture_problems(self, first_row, *rows):
        self.write("labs/01-a/lab.json", LAB.replace('"tasks"', '"questions": [{"id": "q", "when": "before"}], "tasks"', 1))
        self.write("labs/01-a/README.md", LAB_PAGE + "\nasks 1 questions with numbers of your own. Answer all of them")
        table = "| piece | idea | where |\n|---|---|---|\n" + "\n".join([first_row, *rows])
        self.write("handout/instructor/lectures.md", f"# Lectures\n\n{table}\n")
        return [problem.removeprefix("handout/instructor/lectures.md: ") for problem in self.problems()]

    def test_names_in_the_tables_of_lectures(self):
        lab = "[01](../../labs/01-a/README.md)"
        self.assertEqual(self.lecture_problems(f"| **1** A | x | {lab}: tasks `t`, `u`, case `one`; {lab}: question `q` |"), [])
        self.assertEqual(self.lecture_problems(f"| **1** A | x | {lab}: tasks `t`, `one`, question `q` |"),
                         ["lab 01-a has no task one"])
        self.assertEqual(self.lecture_problems(f"| **1** A | x | {lab}: `t`, question `q` |"),
                         ["lab 01-a has no task, case or question t"])
        self.assertEqual(self.lecture_problems(f"| **1** A | x | {lab}: task `t` |"),
                         ["question q of lab 01-a is in no table"])
        self.assertEqual(self.lecture_problems(f"| **1** A | x | {lab}: question `q` |", f"| **3** B | y | {lab}: task `t` |"),
                         ["the pieces are not numbered from 1: [1, 3]"])

    def sizes_in(self, text):
        self.write("labs/01-a/README.md", LAB_PAGE + "\n" + text + "\n")
        return [problem.partition(" says ")[2].removesuffix(": no case has this size") for problem in self.problems()]

    def test_sizes_on_pages(self):
        self.assertEqual(self.sizes_in("n = 1 and 4,096, or m = 7"), [])
        self.assertEqual(self.sizes_in("for n = 1, 31 and 4,097, with 9"), ["n = 31", "n = 4,097"])
        self.assertEqual(self.sizes_in("m = 4,096"), ["m = 4,096"])
        self.assertEqual(self.sizes_in("`length = 5`, 3 × 5 = 15, 100 elements of 4,096 elements"), [])
        self.assertEqual(self.sizes_in("element 4,095 of 5,000\nfloats"), ["4,095 elements", "5,000 elements"])
        self.assertEqual(self.sizes_in("| any shape: 1 × 7, 7 × 1 |"), ["7 × 1"])
        self.assertEqual(self.sizes_in("n is 1 to 4,096, m is at least 1 (or so) and at most 7."), [])
        self.assertEqual(self.sizes_in("n is at least 1 and at most 4,000."), ["n is at most 4,000, but a case has 4,096"])
        self.assertEqual(self.sizes_in("m and n are 1 to 8,192."),
                         ["m is up to 8,192, but on the virtual GPU no case has more than 7",
                          "n is up to 8,192, but on the virtual GPU no case has more than 4,096"])
        self.assertEqual(self.sizes_in("n is 1 to 9,000, on the virtual GPU 1 to 5,000"), [])

    def test_sizes_in_hints(self):
        self.write("labs/01-a/lab.json", LAB.replace('"at_most": 2,', '"at_most": 2, "hint": "element 1,000",\n'))
        self.assertEqual(self.problems(), ["01-a: labs/01-a/lab.json:4 says 1,000 elements: no case has this size"])

    def test_sizes_in_names_of_cases(self):
        self.write("labs/01-a/lab.json", LAB.replace("big-4096", "big-4000"))
        self.assertEqual(self.problems(),
                         ["01-a: the name of case big-4000 contains 4000, but its parameters are {'n': 4096, 'm': 7}"])

    def test_outputs(self):
        printed = ["Lab 01-a", "virtual device · nvcc 14", "  pass  60/60", "", "60/100 points.", "Next: …"]
        block = "Lab 01-a\nvirtual device · nvcc 13\n  FAIL  0/60\n\n0/100 points. Fix it."
        self.assertEqual(outputs.shown(block.replace("0/100", "60/100"), printed),
                         "Lab 01-a\nvirtual device · nvcc 13\n  pass  60/60\n\n60/100 points.")
        page = f"# A\n\n```text\n$ warpgrade check 01-a\n{block}\n```\n\n```text\nother\n```\n"
        self.assertEqual([found.groups() for found in outputs.BLOCK.finditer(page)], [("check", "01-a", "", block)])

    def test_excerpts_of_profiles(self):
        printed = ["Profile of 01-a", "nvcc 13", "", "kernel", "  3 us", "  counter", "  lanes  31", "more"]
        page = "# A\n\n```text\n$ warpgrade profile 01-a --case one\n…\nkernel\n  2 us\n  lanes  32\n```\n"
        found = outputs.BLOCK.search(page)
        self.assertEqual(found.groups()[:3], ("profile", "01-a", " --case one"))
        self.assertEqual(outputs.shown(found.group(4), printed), "…\nkernel\n  3 us\n  counter\n  lanes  31")
        with self.assertRaises(pages.Problem):
            outputs.shown("…\nTimeline\n  lanes", printed)

    def test_pages_outside_all_parts(self):
        self.write("handout/student/stray.md", "# Stray\n")
        self.assertIn("is not in any part of the book", self.problems()[0])

    def test_staged_book(self):
        out = self.stage("all")
        home = (out / "docs/index.md").read_text()
        self.assertIn("[scoring](student/scoring.md#how-it-is-done)", home)
        self.assertIn("[notes](instructor/labs/list.md)", home)
        self.assertIn("[Note](../../instructor/labs/01-a.md)", (out / "docs/instructor/labs/list.md").read_text())
        self.assertIn("return 1;", (out / "docs/files/grader/a.cpp.md").read_text())
        table = (out / "docs/student/scoring.md").read_text()
        self.assertIn("| First | 60 | – | right in 1 case: `one` |", table)
        self.assertIn("`barriers` in case `one`: at most 2 (naive 9, solution 1)", table)
        self.assertIn("| 40 (bonus) |", table)
        self.assertIn("real GPU, case `big`: 1.5 times", table)
        self.assertIn(
            '- "Labs":\n      - "01 A":\n        - student/labs/01-a/index.md', (out / "mkdocs.yml").read_text())

    def test_the_index_becomes_a_script(self):
        self.write("site/search/search_index.json", '{"docs": [{"text": "a </script> \\u2028 b"}]}')
        site = pages.ROOT / "site"
        staging.offline_index(site)
        script = (site / "search/search_index.js").read_text()
        self.assertTrue(script.startswith('var __search = {index: Promise.resolve({"docs":[{"text":"a </script> \\u2028'))
        self.assertFalse((site / "search/search_index.json").exists())

    def test_lines_for_staff_and_for_students(self):
        text = "# Handbook\n\n<!-- staff -->\nyou teach\n<!-- /staff -->\n<!-- students\nyou learn\n-->\nall\n"
        self.write("handout/README.md", text)
        self.assertEqual(self.problems(), [])
        self.assertEqual((self.stage("all") / "docs/index.md").read_text(), "# Handbook\n\nyou teach\nall\n")
        self.assertEqual((self.stage("student") / "docs/index.md").read_text(), "# Handbook\n\nyou learn\nall\n")
        self.write("handout/README.md", text.replace("<!-- /staff -->", ""))
        self.assertIn("without its counterpart", self.problems()[0])

    def test_students_get_only_their_part(self):
        out = self.stage("student")
        self.assertIn(" and notes", (out / "docs/index.md").read_text())
        self.assertFalse((out / "docs/instructor").exists())
        self.assertNotIn("nstructor", (out / "mkdocs.yml").read_text())


if __name__ == "__main__":
    unittest.main()
