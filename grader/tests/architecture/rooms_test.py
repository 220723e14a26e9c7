"""Each rule of rooms.py finds what breaks it."""

import pathlib
import tempfile
import unittest

import rooms

PAGE = "".join(f"| `{room}` | | |\n" for room in rooms.ROOMS)


class Rooms(unittest.TestCase):
    def found(self, files):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in {"doc/architecture.md": PAGE, **files}.items():
                file = root / "grader" / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
            return list(rooms.violations(root))

    def test_includes_of_lower_rooms_are_right(self):
        self.assertEqual(self.found({"vgpu/run/a.cpp": '#include "vgpu/ptx/b.hpp"\n', "vgpu/ptx/b.hpp": ""}), [])

    def test_an_include_of_a_higher_room_is_found(self):
        found = self.found({"vgpu/ptx/a.cpp": '#include "vgpu/run/b.hpp"\n', "vgpu/run/b.hpp": ""})
        self.assertEqual(found, ["vgpu/ptx/a.cpp: includes vgpu/run/b.hpp, of a higher room"])

    def test_a_file_in_no_room_is_found(self):
        self.assertIn("in no room", self.found({"vgpu/attic/a.cpp": ""})[0])

    def test_too_many_files_and_lines_are_found(self):
        many = {f"vgpu/ptx/f{number}.cpp": "" for number in range(rooms.MAX_FILES + 1)}
        self.assertIn("41 files", self.found(many)[0])
        self.assertIn("6001 lines", self.found({"vgpu/ptx/a.cpp": "\n" * (rooms.MAX_LINES + 1)})[0])

    def test_a_target_that_compiles_another_folders_file_is_found(self):
        found = self.found({"judge/CMakeLists.txt": "warpgrade_module(judge SOURCES ../lab/a.cpp)\n"})
        self.assertEqual(found, ["judge/CMakeLists.txt: compiles a file of another folder"])

    def test_the_page_names_every_room_and_no_other(self):
        found = self.found({"doc/architecture.md": PAGE.replace("`judge`", "`jury`")})
        self.assertEqual(found, ["doc/architecture.md: does not name `judge`", "doc/architecture.md: names `jury`, which is no room"])


if __name__ == "__main__":
    unittest.main()
