// Which lab and which file `check`, `watch`, `profile`, `questions` and `handin` take. The students' files do
// not compile, so that a message proves which one was taken, and nothing runs.
#include "base/files.hpp"
#include "base/sha256.hpp"
#include "catch.hpp"
#include "e2e/program.hpp"

namespace own_files_test {

using namespace testing;
namespace fs = std::filesystem;

namespace {

constexpr const char* kMine = "#error mine\n";

/// A student's folder with labs/00-warm-up/saxpy.cu, outside the kit.
class Course {
 public:
  Course() { write(lab() / "saxpy.cu", kMine); }
  fs::path root() const { return folder_.path(); }
  fs::path lab() const { return root() / "labs" / "00-warm-up"; }

 private:
  grader::TemporaryFolder folder_{"course"};
};

Ended check(std::vector<std::string> arguments, const Setting& setting) {
  arguments.insert(arguments.begin(), "check");
  arguments.insert(arguments.end(), {"--build-only", "--device", "virtual"});
  return warpgrade(arguments, setting);
}

}  // namespace

TEST_CASE("every command takes the file of the lab's folder that is found from the current folder") {
  const Course course;
  fs::create_directories(course.root() / "labs" / "01-memory-types" / "notes");
  for (const char* folder : {".", "labs", "labs/00-warm-up"}) {
    INFO(folder);
    const Ended checked = check({"00"}, {.folder = course.root() / folder});
    CHECK_THAT(checked.out, contains("mine"));
    CHECK_THAT(checked.err, !contains("file: "));
  }
  const Ended from_notes = check({"00"}, {.folder = course.root() / "labs" / "01-memory-types" / "notes"});
  CHECK_THAT(from_notes.out, contains("mine"));
  CHECK_THAT(from_notes.err, contains("file: " + (course.lab() / "saxpy.cu").string() + "\n"));

  const Setting here{.folder = course.root()};
  CHECK_THAT(warpgrade({"profile", "00"}, here).out, contains("mine"));
  CHECK_THAT(warpgrade({"handin", "00", "--no-check"}, here).out,
             contains(grader::sha256_hex(kMine)) && contains((course.lab() / "saxpy.cu").string()));
  write(course.lab() / "answers.json", "{");
  CHECK_THAT(warpgrade({"questions", "00"}, here).err, contains("answers.json"));
  fs::remove(course.lab() / "saxpy.cu");
  fs::create_symlink("gone.cu", course.lab() / "saxpy.cu");
  CHECK_THAT(warpgrade({"watch", "00"}, here).err,
             contains("cannot watch " + (course.lab() / "saxpy.cu").string()));
}

TEST_CASE("a lab's folder without its file is not replaced by the kit's") {
  const Course course;
  fs::remove(course.lab() / "saxpy.cu");
  write(course.lab() / "lab.json", text_of(source_folder() / "labs/00-warm-up/lab.json"));
  const Ended checked = check({"00"}, {.folder = course.root()});
  CHECK(checked.code == 2);
  CHECK_THAT(checked.err, contains("cannot read " + (course.lab() / "saxpy.cu").string()));
}

TEST_CASE("the kit's own file is the last choice, and a line on stderr names it") {
  const Course course;
  fs::create_directories(course.root() / "home" / "work");
  const Ended found = check({"00"}, {.folder = course.root() / "home" / "work"});
  CHECK_THAT(found.out, contains("mine"));
  // Folders above the user's home are not the user's.
  const Ended other = check({"00"}, {.folder = course.root() / "home" / "work",
                                     .environment = {{"HOME", (course.root() / "home").string()}}});
  CHECK(other.code == 0);
  CHECK_THAT(other.err, contains("file: " + (source_folder() / "labs/00-warm-up/saxpy.cu").string() +
                                 " (no lab folder was found here)"));
}

TEST_CASE("a path of a lab's folder names that folder") {
  const Course one, other;
  write(other.lab() / "saxpy.cu", "#error other\n");
  CHECK_THAT(check({other.lab().string() + "/"}, {.folder = one.root()}).out, contains("other"));
}

TEST_CASE("without LAB, the only lab's file in the current folder is taken") {
  const grader::TemporaryFolder work("work");
  write(work.path() / "saxpy.cu", kMine);
  const Setting here{.folder = work.path()};
  const Ended checked = check({}, here);
  CHECK_THAT(checked.out, contains("mine") && !contains("01-memory-types"));
  CHECK_THAT(check({}, {.folder = source_folder() / "labs" / "00-warm-up"}).out,
             contains("saxpy.cu compiles"));
  fs::remove(work.path() / "saxpy.cu");
  const Ended watched = warpgrade({"watch"}, here);
  CHECK(watched.code == 2);
  CHECK_THAT(watched.err, contains("no lab is named"));
  fs::create_symlink("gone.cu", work.path() / "saxpy.cu");
  fs::create_symlink("saxpy.cu", work.path() / "tiled_matmul.cu");
  write(work.path() / "gone.cu", kMine);
  CHECK_THAT(warpgrade({"profile"}, here).err, contains("no lab is named"));  // two files
}

TEST_CASE("a source's name stands for its lab, and a file after a lab is the source") {
  const grader::TemporaryFolder work("work");
  const Setting here{.folder = work.path()};
  write(work.path() / "saxpy.cu", kMine);
  write(work.path() / "my.cu", "#error other\n");
  for (const std::vector<std::string>& words : {std::vector<std::string>{"saxpy.cu"}, {"./saxpy.cu"}}) {
    CHECK_THAT(check(words, here).out, contains("mine"));
    CHECK_THAT(warpgrade({"profile", words.front()}, here).out, contains("mine"));
  }
  CHECK_THAT(check({"00", "my.cu"}, here).out, contains("other"));
  CHECK_THAT(warpgrade({"profile", "00", "my.cu"}, here).out, contains("other"));
  CHECK_THAT(warpgrade({"handin", "00", "my.cu", "--no-check"}, here).out, contains("my.cu"));
  CHECK_THAT(check({"my.cu"}, here).out, contains("other"));  // saxpy.cu shows which lab is meant
  CHECK_THAT(check({"--source", "saxpy.cu"}, {.folder = work.path()}).out, contains("mine"));

  fs::remove(work.path() / "saxpy.cu");
  const Ended unknown = check({"my.cu"}, here);
  CHECK(unknown.code == 2);
  CHECK_THAT(unknown.err, contains("warpgrade check LAB --source my.cu"));
  CHECK_THAT(check({"none.cu"}, here).err, contains("warpgrade check LAB --source none.cu"));
  const Course course;  // the file is not here, but its lab is known
  CHECK_THAT(check({"saxpy.cu"}, {.folder = course.root()}).out, contains("mine"));
}

TEST_CASE("words that are neither one lab nor its file are refused with the reason") {
  const grader::TemporaryFolder work("work");
  const Setting here{.folder = work.path()};
  for (const char* command : {"check", "watch", "profile", "handin"}) {
    INFO(command);
    const Ended missing = warpgrade({command, "00", "none.cu"}, here);
    CHECK(missing.code == 2);
    CHECK_THAT(missing.err, contains("there is no file `none.cu`"));
  }
  for (const char* command : {"watch", "profile", "handin"})
    CHECK_THAT(warpgrade({command, "00", "01"}, here).err, contains("this command takes one lab, not 2"));
}

}  // namespace own_files_test
