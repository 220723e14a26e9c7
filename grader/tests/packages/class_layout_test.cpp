#include "packages/class_layout.hpp"

#include "base/files.hpp"
#include "packages/fixtures.hpp"

namespace class_layout_test {

using namespace grader;
using namespace testing;

namespace {

ClassLayout layout(const std::vector<std::string>& paths, Layout requested = Layout::automatic) {
  auto result = recognise_class(names(paths), labs(), requested);
  if (!result) FAIL(result.error().what);
  return *std::move(result);
}

std::string problem(const std::vector<std::string>& paths, Layout requested = Layout::automatic) {
  const auto result = recognise_class(names(paths), labs(), requested);
  return result ? "" : result.error().code + " " + result.error().what;
}

std::vector<std::string> ids(const ClassLayout& of) {
  std::vector<std::string> result;
  for (const Upload& upload : of.uploads) result.push_back(upload.id);
  return result;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a folder or archive per student is the plain layout") {
  const auto found =
      layout({"bob/tiled_matmul.cu", "alice.zip", "eve.tar.gz", "eve/", "notes.txt", "__MACOSX/x"});
  CHECK(found.layout == Layout::plain);
  CHECK(ids(found) == Names{"alice", "bob", "eve", "eve.tar.gz"});
  CHECK(found.ignored == Names{"notes.txt"});
}

TEST_CASE("Canvas's files are grouped by user, the latest upload first") {
  const auto found = layout({"doe_1_20_tiled_matmul.cu", "doe_1_30_tiled_matmul-1.cu",
                             "roe_LATE_2_25_reduction.cu", "poe_3_text.html"});
  CHECK(found.layout == Layout::canvas);
  REQUIRE(ids(found) == Names{"doe_1", "poe_3", "roe_2"});
  CHECK(found.uploads[0].parts.front().number == 30);
  CHECK(found.uploads[0].hand_in.late == false);
  CHECK(found.uploads[0].hand_in.lms == "canvas");
  CHECK(found.uploads[1].parts.empty());
  CHECK(found.uploads[1].hand_in.notes.size() == 1);
  CHECK(found.uploads[2].hand_in.late == true);
}

TEST_CASE("Moodle's folders and files are grouped by participant") {
  const auto found = layout({"Jane Doe_7_assignsubmission_file_/a/tiled_matmul.cu",
                             "Jane Doe_7_assignsubmission_onlinetext_onlinetext.html",
                             "Ümit_8_assignsubmission_file_tiled_matmul.cu"});
  CHECK(found.layout == Layout::moodle);
  REQUIRE(ids(found) == Names{"Jane Doe_7", "Ümit_8"});
  CHECK(found.uploads[0].parts.size() == 1);
  CHECK(found.uploads[1].parts.front().file == "tiled_matmul.cu");
}

TEST_CASE("Gradescope's export is recognised by its list, also inside one outer folder") {
  const auto found =
      layout({"assignment_1_export/submission_metadata.yml", "assignment_1_export/submission_11/a.cu"});
  CHECK(found.layout == Layout::gradescope);
  CHECK(found.root == "assignment_1_export/");
  CHECK(ids(found) == Names{"submission_11"});
  CHECK_THAT(problem({"submission_11/a.cu", "x/a.cu"}, Layout::gradescope),
             contains("submission_metadata.yml"));
}

TEST_CASE("names of several layouts are an error") {
  CHECK_THAT(problem({"doe_1_20_tiled_matmul.cu", "alice/"}), contains("WG-S16") && contains("Canvas"));
  CHECK_THAT(problem({"doe_1_20_a.cu", "Jane_7_assignsubmission_file_/"}),
             contains("WG-S16") && contains("Moodle"));
  CHECK_THAT(problem({"submission_metadata.yml", "submission_1/", "bob/"}), contains("WG-S16"));
  CHECK(ids(layout({"lab_1_2_final.zip", "bob/x"}, Layout::plain)) == Names{"bob", "lab_1_2_final"});
  CHECK(layout({"doe_1_20_tiled_matmul.cu", "alice/"}, Layout::canvas).ignored == Names{"alice"});
}

TEST_CASE("one student's files instead of a class are reported") {
  CHECK_THAT(problem({"tiled_matmul.cu"}), contains("WG-S16") && contains("one submission"));
  CHECK_THAT(problem({"02-tiled-matmul/tiled_matmul.cu", "03-reduction/reduction.cu"}), contains("WG-S16"));
}

TEST_CASE("an archive with one folder is a class of one only when that folder is surely a student's") {
  CHECK(ids(layout({"alice/tiled_matmul.cu"})) == Names{"alice"});
  CHECK_THAT(problem({"class/alice/tiled_matmul.cu", "class/bob/tiled_matmul.cu"}), contains("WG-S16"));
}

TEST_CASE("a folder on disk may contain one student") {
  const TemporaryFolder folder("class");
  std::filesystem::create_directories(folder.path() / "alice" / "deep");
  const auto tree = FileTree::of_folder(folder.path(), 10);
  REQUIRE(tree);
  CHECK(ids(*recognise_class(*tree, labs(), Layout::automatic)) == Names{"alice"});
}

TEST_CASE("the roster gives names, and leaves out what its authors handed in again") {
  auto found =
      layout({"submission_metadata.yml", "submission_1/", "submission_2/", "submission_3/", "submission_4/"});
  const Identity jane{.name = "Jane", .email = "j@x", .sis_id = "1"},
      ben{.name = "Ben", .email = "b@x", .sis_id = "2"};
  apply_roster(found, {{"submission_1", {{jane}, "t1"}},
                       {"submission_2", {{jane, ben}, "t2"}},
                       {"submission_3", {{jane}, "t3"}}});
  // Ben has nothing later than 2, Jane has 3.
  CHECK(ids(found) == Names{"submission_2", "submission_3", "submission_4"});
  CHECK(found.uploads[0].hand_in.people == std::vector<Identity>{jane, ben});
  CHECK(found.uploads[1].hand_in.not_taken == Names{"submission_1"});
  CHECK(found.uploads[1].hand_in.submitted_at == "t3");
  CHECK_THAT(found.uploads[2].hand_in.notes.front(), contains("does not list this submission"));
}

}  // namespace class_layout_test
