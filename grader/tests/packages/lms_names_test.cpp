#include "packages/lms_names.hpp"

#include "catch.hpp"

namespace lms_names_test {

using namespace grader;

TEST_CASE("Canvas's names contain user, upload, lateness and file") {
  const auto plain = read_canvas_name("doejane_12345_67890_tiled_matmul.cu");
  REQUIRE(plain);
  CHECK(plain->student == "doejane_12345");
  CHECK(plain->who == Identity{.name = "doejane", .lms_id = "12345"});
  CHECK(plain->late == false);
  CHECK(plain->upload == 67890);
  CHECK(plain->file == "tiled_matmul.cu");

  const auto late = read_canvas_name("doe_jane_LATE_12345_67890_a_1_2_b.cu");
  REQUIRE(late);
  CHECK(late->student == "doe_jane_12345");
  CHECK(late->late == true);
  CHECK(late->file == "a_1_2_b.cu");
}

TEST_CASE("Canvas's anonymous and typed hand-ins are read") {
  const auto anonymous = read_canvas_name("LATE_anon_aB12c_67890_tiled_matmul.cu");
  REQUIRE(anonymous);
  CHECK(anonymous->student == "anon_aB12c");
  CHECK(anonymous->who == Identity{});
  CHECK(anonymous->late == true);
  const auto typed = read_canvas_name("doejane_12345_text.html");
  REQUIRE(typed);
  CHECK(typed->file.empty());
  CHECK(typed->student == "doejane_12345");
}

TEST_CASE("other names are not Canvas's") {
  for (const char* name : {"alice", "alice.zip", "tiled_matmul.cu", "12345_67890_a.cu", "doe_12345_a.cu",
                           "doe_1_2_", "_1_2_a.cu", "", "___", "doe_99999999999999999999_1_a.cu"})
    CHECK_FALSE(read_canvas_name(name));
}

TEST_CASE("Canvas's counter for a file handed in again is removed") {
  CHECK(without_canvas_counter("tiled_matmul-2.cu") == "tiled_matmul.cu");
  CHECK(without_canvas_counter("lab2-1.tar.gz") == "lab2-1.tar.gz");
  for (const char* name : {"tiled_matmul.cu", "tiled_matmul (1).cu", "tiled_matmul-a.cu", "-2.cu", "-", "a-"})
    CHECK(without_canvas_counter(name) == name);
}

TEST_CASE("Moodle's names contain participant and file, with folders and without") {
  const auto folder = read_moodle_name("Jane van der Doe_1234567_assignsubmission_file_");
  REQUIRE(folder);
  CHECK(folder->student == "Jane van der Doe_1234567");
  CHECK(folder->who == Identity{.name = "Jane van der Doe", .lms_id = "1234567"});
  CHECK_FALSE(folder->late);
  CHECK(folder->file.empty());
  CHECK(read_moodle_name("Jane_1_assignsubmission_file")->student == "Jane_1");
  CHECK(read_moodle_name("Jane_1_assignsubmission_file_tiled_matmul.cu")->file == "tiled_matmul.cu");
  CHECK(read_moodle_name("Participant_77_assignsubmission_file_a.zip")->who == Identity{.lms_id = "77"});
  CHECK(read_moodle_name("Jane_1_assignsubmission_onlinetext_onlinetext.html")->file.empty());
  for (const char* name :
       {"Jane_assignsubmission_file_", "_1_assignsubmission_file_", "assignsubmission_file_", "a"})
    CHECK_FALSE(read_moodle_name(name));
}

TEST_CASE("Gradescope's folders contain a number") {
  CHECK(read_gradescope_name("submission_12345678") == 12345678U);
  for (const char* name : {"submission_", "submission_x", "submission_1x", "submissions_1", "1"})
    CHECK_FALSE(read_gradescope_name(name));
}

}  // namespace lms_names_test
