#include "packages/entry_path.hpp"

#include "catch.hpp"

namespace entry_path_test {

using namespace grader;
using Kind = EntryPath::Kind;

TEST_CASE("paths that leave the package are hostile on every system") {
  for (const char* path : {"/etc/passwd", "..", "../x", "a/../b", "a/..", "\\x", "C:\\x", "c:/x", "..\\x",
                           "a\\..\\b", "a/..\\b", "//host/share"})
    CHECK(read_entry_path(path).kind == Kind::hostile);
}

TEST_CASE("legitimate paths are accepted and get uniform separators") {
  CHECK(read_entry_path("a.cu").path == "a.cu");
  CHECK(read_entry_path("./lab2//a.cu").path == "lab2/a.cu");
  CHECK(read_entry_path("lab2\\a.cu").path == "lab2/a.cu");
  CHECK(read_entry_path("lab 2 (1)/a../b...cu").path == "lab 2 (1)/a../b...cu");
  CHECK(read_entry_path("\xdc"
                        "bung/a.cu")
            .kind == Kind::usable);  // Latin-1, as old Windows tools write it
  CHECK(read_entry_path("lab/").path == "lab");
}

TEST_CASE("files added by operating systems are ignored") {
  for (const char* path :
       {"__MACOSX/lab2/._a.cu", "lab2/.DS_Store", "._a.cu", ".git/HEAD", "Thumbs.db", "x/desktop.ini"})
    CHECK(read_entry_path(path).kind == Kind::side_file);
}

TEST_CASE("names that no person would choose are odd") {
  CHECK(read_entry_path("a\nb.cu").kind == Kind::odd);
  CHECK(read_entry_path("a\x1b[31m.cu").kind == Kind::odd);
  CHECK(read_entry_path("Icon\r").kind == Kind::odd);  // macOS makes these
  CHECK(read_entry_path(std::string(5000, 'a')).kind == Kind::odd);
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "a/";
  CHECK(read_entry_path(deep + "a.cu").kind == Kind::odd);
}

TEST_CASE("long names are cut when they are shown") {
  CHECK(shown_name("a.cu") == "a.cu");
  CHECK(shown_name(std::string(5000, 'a')).size() < 200);
}

}  // namespace entry_path_test
