"""words.py finds its words where people read them, and nowhere else."""

import pathlib
import tempfile
import unittest

import words


class Words(unittest.TestCase):
    def found(self, name, text):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            return list(words.findings(pathlib.Path(folder)))

    def test_pages_are_checked_outside_code(self):
        self.assertEqual(len(self.found("a.md", "The page tells nothing.\n")), 1)
        self.assertEqual(self.found("a.md", "`tells`\n```\nnobody\n```\nA plain page.\n"), [])

    def test_comments_and_messages_of_sources_are_checked_and_names_are_not(self):
        found = self.found("a.cpp", 'int nobody = 0;  // nobody reads it\nsay("nobody waits");\n')
        self.assertEqual([line.split(" ")[0] for line in found], ["a.cpp:1:", "a.cpp:2:"])

    def test_a_comment_ends_with_its_line(self):
        self.assertEqual(self.found("a.cpp", "// a list\nint nobody = 0;\n"), [])

    def test_comments_of_scripts_are_checked(self):
        self.assertEqual(len(self.found("a.sh", "lies=1  # what lies behind\n")), 2)

    def test_hints_are_checked_and_keys_are_not(self):
        self.assertEqual(len(self.found("lab.json", '{"nobody": [],\n "hint": "what runs beside the copies"}\n')), 1)

    def test_data_is_not_checked(self):
        self.assertEqual(self.found("datasets/a.md", "nobody\n"), [])


if __name__ == "__main__":
    unittest.main()
