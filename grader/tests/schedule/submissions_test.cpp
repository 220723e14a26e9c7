#include "schedule/submissions.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "base/files.hpp"
#include "base/sha256.hpp"
#include "catch.hpp"
#include "sandbox/boxes.hpp"

namespace submissions_test {

using namespace grader;
using testing::contains;
namespace fs = std::filesystem;

namespace {

void write(const fs::path& file, const std::string& text = "// a source\n") {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

Lab lab() {
  Lab made;
  made.id = "02-tiled-matmul";
  made.sources = {"tiled_matmul.cu"};
  return made;
}

Expected<SubmissionList, Diagnostic> find(const fs::path& folder) {
  return find_submissions(folder, {lab()}, testing::sandbox(), {Layout::automatic, 2, nullptr});
}

std::vector<std::string> ids(const SubmissionList& list) {
  std::vector<std::string> names;
  for (const Submission& one : list.submissions) names.push_back(one.id);
  return names;
}

}  // namespace

TEST_CASE("nested and flat submissions are found, the nested file first") {
  const TemporaryFolder folder("class");
  write(folder.path() / "alice" / "02-tiled-matmul" / "tiled_matmul.cu");
  write(folder.path() / "alice" / "tiled_matmul.cu");
  write(folder.path() / "bob" / "tiled_matmul.cu");
  const auto list = find(folder.path());
  REQUIRE(list);
  REQUIRE(ids(*list) == std::vector<std::string>{"alice", "bob"});
  CHECK(*find_source(list->submissions[0], lab()) ==
        folder.path() / "alice" / "02-tiled-matmul" / "tiled_matmul.cu");
  CHECK(*find_source(list->submissions[1], lab()) == folder.path() / "bob" / "tiled_matmul.cu");
}

TEST_CASE("a lab is handed in if any submission has its file or its folder") {
  const TemporaryFolder folder("class");
  const auto is_handed_in_now = [&] { return is_handed_in(find(folder.path())->submissions, lab()); };
  write(folder.path() / "alice" / "03-reduction-divergence" / "reduction.cu");
  CHECK_FALSE(is_handed_in_now());
  write(folder.path() / "bob" / "tiled_matmul.cu");
  CHECK(is_handed_in_now());
  fs::remove_all(folder.path() / "bob");
  write(folder.path() / "carol" / "02-tiled-matmul" / "of_another_name.cu");
  CHECK(is_handed_in_now());
}

TEST_CASE("a missing file is reported with the file to hand in") {
  const TemporaryFolder folder("class");
  write(folder.path() / "carol" / "notes.txt");
  const auto list = find(folder.path());
  REQUIRE(list);
  const auto source = find_source(list->submissions.front(), lab());
  REQUIRE_FALSE(source);
  CHECK(source.error().code == "WG-S10");
  CHECK(source.error().what == "tiled_matmul.cu is missing");
  CHECK_THAT(source.error().next_step, contains("02-tiled-matmul/tiled_matmul.cu"));
}

TEST_CASE("a missing file is reported with the programs that were found instead") {
  const TemporaryFolder folder("class");
  const auto what_of = [&](const std::string& id) {
    const auto list = find(folder.path());
    REQUIRE(list);
    for (const Submission& one : list->submissions)
      if (one.id == id) return find_source(one, lab()).error().what;
    return std::string("no submission");
  };
  fs::create_directories(folder.path() / "alice");
  CHECK(what_of("alice") == "tiled_matmul.cu is missing; the submission is empty");
  write(folder.path() / "bob" / "Desktop" / "final.cu");
  CHECK(what_of("bob") == "tiled_matmul.cu is missing; there is Desktop/final.cu");
  for (const char* name : {"a.cu", "b.cu", "c.cu", "d.CU"}) write(folder.path() / "carol" / "lab" / name);
  write(folder.path() / "carol" / "notes.txt");
  CHECK(what_of("carol") == "tiled_matmul.cu is missing; there are lab/a.cu, lab/b.cu, lab/c.cu and 1 more");
  write(folder.path() / "dave" / "02-tiled-matmul" / "other.cu");
  CHECK(what_of("dave") == "tiled_matmul.cu is missing; there is 02-tiled-matmul/other.cu");
}

TEST_CASE("an archive's source is in a private folder under the lab's name while the list exists") {
  const TemporaryFolder folder("class");
  write(folder.path() / "d$(x)" / "tiled_matmul.cu", "// ours\n");
  const std::string pack =
      "cd '" + (folder.path() / "d$(x)").string() + "' && tar czf '../=evil;rm.tar.gz' tiled_matmul.cu";
  REQUIRE(std::system(pack.c_str()) == 0);
  fs::path source;
  {
    const auto list = find(folder.path());
    REQUIRE(list);
    REQUIRE(ids(*list) == std::vector<std::string>{"=evil;rm", "d$(x)"});
    source = *find_source(list->submissions.front(), lab());
    CHECK(*read_file(source, 100) == "// ours\n");
    CHECK(source.filename() == "tiled_matmul.cu");
    CHECK(source.string().find("evil") == std::string::npos);
    CHECK(list->submissions[0].hand_in.same_bytes.at("02-tiled-matmul") == std::vector<std::string>{"d$(x)"});
    CHECK(list->submissions[1].hand_in.same_bytes.at("02-tiled-matmul") ==
          std::vector<std::string>{"=evil;rm"});
  }
  CHECK_FALSE(fs::exists(source));
}

TEST_CASE("the unchanged skeleton does not count as a shared file") {
  const TemporaryFolder folder("class"), kit("labs");
  Lab of_kit = lab();
  of_kit.folder = kit.path();
  // The file in labs/ is no skeleton: someone works on the lab there.
  write(kit.path() / "tiled_matmul.cu", "// a solution\n");
  for (const char* id : {"a", "b"}) write(folder.path() / id / "tiled_matmul.cu", "// skeleton\n");
  for (const char* id : {"c", "d"}) write(folder.path() / id / "tiled_matmul.cu", "// a solution\n");
  write(folder.path() / "e" / "tiled_matmul.cu", "// the skeleton of last year\n");
  FindOptions options;
  options.skeleton_sha256["02-tiled-matmul"] = {sha256_hex("// the skeleton of last year\n"),
                                                sha256_hex("// skeleton\n")};
  const auto list = find_submissions(folder.path(), {of_kit}, testing::sandbox(), options);
  REQUIRE(list);
  REQUIRE(ids(*list) == std::vector<std::string>{"a", "b", "c", "d", "e"});
  for (const Submission& one : list->submissions) {
    const bool is_skeleton = one.id != "c" && one.id != "d";
    INFO(one.id);
    CHECK(one.hand_in.same_bytes.empty() == is_skeleton);
    CHECK(one.hand_in.notes == (is_skeleton
                                    ? std::vector<std::string>{"02-tiled-matmul: the skeleton, unchanged"}
                                    : std::vector<std::string>{}));
  }
}

TEST_CASE("two archives with one name, and archives that cannot be unpacked, get their own rows") {
  const TemporaryFolder folder("class");
  write(folder.path() / "eve.tar.gz");
  write(folder.path() / "eve.zip");
  write(folder.path() / "README.txt");
  const auto list = find(folder.path());
  REQUIRE(list);
  CHECK(ids(*list) == std::vector<std::string>{"eve", "eve.zip"});
  CHECK(list->ignored == std::vector<std::string>{"README.txt"});
  for (const Submission& one : list->submissions) CHECK(find_source(one, lab()).error().code == "WG-S11");
  CHECK(list->submissions[0].hand_in.notes ==
        std::vector<std::string>{"also handed in as eve.zip, which has its own row"});
  CHECK(list->submissions[1].hand_in.notes ==
        std::vector<std::string>{"also handed in as eve, which has its own row"});
}

TEST_CASE("names that are not UTF-8 stay unique and readable") {
  const TemporaryFolder folder("class");
  for (const char* name : {"bad\xff", "bad\xfe", "a\x01", "a\\x01", "M\xc3\xbcller"})
    write(folder.path() / name / "tiled_matmul.cu");
  const auto list = find(folder.path());
  REQUIRE(list);
  std::vector<std::string> found = ids(*list);
  std::sort(found.begin(), found.end());
  CHECK(found == std::vector<std::string>{"M\xc3\xbcller", "a\\x01", "a\\x5cx01", "bad\\xfe", "bad\\xff"});
}

TEST_CASE("a stop ends the search") {
  const TemporaryFolder folder("class");
  write(folder.path() / "a" / "tiled_matmul.cu");
  const std::atomic<bool> stop{true};
  CHECK_FALSE(find_submissions(folder.path(), {lab()}, testing::sandbox(), {Layout::automatic, 1, &stop}));
}

TEST_CASE("nothing is read through a symbolic link") {
  const TemporaryFolder folder("class"), elsewhere("elsewhere");
  write(elsewhere.path() / "tiled_matmul.cu");
  fs::create_directory(folder.path() / "file");
  fs::create_symlink(elsewhere.path() / "tiled_matmul.cu", folder.path() / "file" / "tiled_matmul.cu");
  fs::create_directory(folder.path() / "inner");
  fs::create_directory_symlink(elsewhere.path(), folder.path() / "inner" / "02-tiled-matmul");
  fs::create_directory_symlink(elsewhere.path(), folder.path() / "outer");
  const auto list = find(folder.path());
  REQUIRE(list);
  REQUIRE(list->submissions.size() == 3);
  for (const Submission& one : list->submissions) {
    const auto source = find_source(one, lab());
    REQUIRE_FALSE(source);
    CHECK_THAT(source.error().what, contains("symbolic link"));
  }
}

TEST_CASE("a folder in the place of the file is not accepted") {
  const TemporaryFolder folder("class");
  fs::create_directories(folder.path() / "a" / "tiled_matmul.cu");
  const auto list = find(folder.path());
  REQUIRE(list);
  CHECK(find_source(list->submissions.front(), lab()).error().code == "WG-S10");
}

TEST_CASE("a missing folder is an error, an empty one is not") {
  const TemporaryFolder folder("class");
  CHECK(find(folder.path())->submissions.empty());
  const auto list = find(folder.path() / "none");
  REQUIRE_FALSE(list);
  CHECK(list.error().code == "WG-G20");
}

TEST_CASE("result folders are safe and never shared") {
  CHECK(result_folder_name("alice") == "alice");
  CHECK(result_folder_name("b.otieno+lab_2@x-1") == "b.otieno+lab_2@x-1");
  const std::vector<std::string> odd = {"",
                                        ".",
                                        "..",
                                        "_a",
                                        "-rf",
                                        "a b",
                                        "a/b",
                                        "a\nb",
                                        "a$(touch x)",
                                        "\xff",
                                        "ü",
                                        std::string(300, 'a'),
                                        std::string(299, 'a') + "b"};
  std::vector<std::string> names;
  for (const std::string& id : odd) {
    names.push_back(result_folder_name(id));
    CHECK(names.back().front() == '_');
    CHECK(names.back().size() < 100);
    CHECK(names.back().find_first_of("/\n$ \xff") == std::string::npos);
  }
  std::sort(names.begin(), names.end());
  CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
}

}  // namespace submissions_test
