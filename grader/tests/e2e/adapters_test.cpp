// The adapters of handout/instructor/adapters, in a temporary root instead of the other system's.
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "catch.hpp"
#include "e2e/program.hpp"

namespace adapters_test {

using namespace testing;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

const fs::path kAdapters = source_folder() / "handout" / "instructor" / "adapters";
const std::string kProgram = std::string(WARPGRADE_BINARY_DIR) + "/bin/warpgrade";

/// /autograder with Gradescope's layout.
class Autograder {
 public:
  Autograder() : folder_("autograder") {
    write(root() / "source" / "config.sh", "LAB=02-tiled-matmul\nKIT='" + source_folder().string() +
                                               "'\nWARPGRADE='" + kProgram +
                                               "'\nWARPGRADE_GRADE_OPTIONS='--device virtual --jobs 1'\n");
    fs::create_directories(root() / "submission");
    fs::create_directories(root() / "results");
    write(root() / "submission_metadata.json",
          R"({"users": [{"name": "$(touch /tmp/owned); \"", "email": "`id`"}]})");
  }

  fs::path root() const { return folder_.path(); }
  fs::path results() const { return root() / "results" / "results.json"; }
  Ended run_autograder(const std::map<std::string, std::string>& more = {}) const {
    std::map<std::string, std::string> environment = more;
    environment["AUTOGRADER_ROOT"] = root().string();
    return run({"/bin/bash", (kAdapters / "gradescope" / "run_autograder").string()},
               {.environment = environment});
  }

 private:
  grader::TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("Gradescope: a good, a broken and a missing submission get results.json", "[slow]") {
  const Autograder autograder;
  const auto score = [&] {
    const Ended ended = autograder.run_autograder();
    INFO(ended.err);
    CHECK(ended.code == 0);
    return Json::parse(text_of(autograder.results()))["score"];
  };
  CHECK(score() == 0);
  CHECK_THAT(text_of(autograder.results()), contains("WG-S10"));
  write(autograder.root() / "submission" / "tiled_matmul.cu", text_of(bad_input("does_not_compile")));
  CHECK(score() == 0);
  CHECK_THAT(text_of(autograder.results()), contains("WG-C01"));
  write(autograder.root() / "submission" / "tiled_matmul.cu", text_of(solution()));
  write(autograder.root() / "submission" / "$(touch owned); .cu", "");
  CHECK(score() == 100);
}

TEST_CASE("Gradescope: when the grader fails there is no results.json, not even an old one") {
  const Autograder autograder;
  write(autograder.results(), "{\"score\": 100}");
  const Ended ended = autograder.run_autograder({{"WARPGRADE_HOME", "/dev/null/kit"}});
  CHECK(ended.code != 0);
  CHECK_FALSE(fs::exists(autograder.results()));
  CHECK_THAT(ended.err, contains("WG-G04"));
}

TEST_CASE("Gradescope: only runs with secret inputs are limited, and a fault of the grader costs none") {
  const Autograder autograder;
  const fs::path source = autograder.root() / "source";
  write(source / "seeds", "secret bytes for the inputs of this course");
  write(source / "config.sh", text_of(source / "config.sh") + "SEED_FILE='" + (source / "seeds").string() +
                                  "'\nHIDDEN_RUNS=1\nHIDDEN_RUN_HOURS=24\n");
  const auto graded_after = [&](const std::string& earlier) {
    write(autograder.root() / "submission_metadata.json",
          R"({"created_at": "2026-11-20T12:00:00Z", "users": [{"name": "`id`"}], "previous_submissions": [)" +
              earlier + "]}");
    const Ended ended = autograder.run_autograder();
    INFO(ended.err);
    CHECK(ended.code == 0);
    return Json::parse(text_of(autograder.results()));
  };
  CHECK(graded_after("")["score"] == 0);  // nothing was handed in
  const Json limited = graded_after(R"({"submission_time": "2026-11-20T08:00:00Z", "score": 87.5})");
  CHECK(limited["score"] == 87.5);
  CHECK_THAT(limited["output"].get<std::string>(), contains("this run used public inputs only"));
  CHECK(
      graded_after(
          R"({"submission_time": "2026-11-20T08:00:00Z", "score": 0, "autograder_error": true})")["score"] ==
      0);
  CHECK(graded_after(R"({"submission_time": "2026-11-19T08:00:00Z", "score": 87.5})")["score"] == 0);
  CHECK(graded_after("broken")["score"] == 0);
}

TEST_CASE("PrairieLearn: a missing submission and a fault of the grader cost no attempt") {
  const grader::TemporaryFolder root("grade");
  fs::create_directories(root.path() / "student");
  const std::vector<std::string> command = {"/bin/bash",
                                            (kAdapters / "prairielearn" / "entrypoint.sh").string()};
  std::map<std::string, std::string> environment = {
      {"GRADE_ROOT", root.path().string()}, {"WARPGRADE", kProgram}, {"WARPGRADE_LAB", "02-tiled-matmul"}};
  const Ended missing = run(command, {.environment = environment});
  INFO(missing.err);
  CHECK(missing.code == 0);
  const fs::path results = root.path() / "results" / "results.json";
  CHECK(Json::parse(text_of(results))["gradable"] == false);
  CHECK_THAT(text_of(results), contains("WG-S10"));
  environment["WARPGRADE_HOME"] = "/dev/null/kit";
  CHECK(run(command, {.environment = environment}).code == 0);
  CHECK_THAT(text_of(results), contains("The grader failed"));
}

TEST_CASE("GitHub Classroom: one line of base64 for the step's output") {
  const grader::TemporaryFolder folder("classroom");
  write(folder.path() / "submission" / "README.md", "nothing handed in");
  const fs::path result = folder.path() / "result.txt";
  const Ended ended = run({"/bin/bash", (kAdapters / "grade_one.sh").string(), "github-classroom",
                           (folder.path() / "submission").string(), result.string(), "02-tiled-matmul"},
                          {.environment = {{"WARPGRADE", kProgram}}});
  INFO(ended.err);
  CHECK(ended.code == 0);
  const std::string text = text_of(result);
  CHECK(text.find('\n') + 1 == text.size());
}

}  // namespace adapters_test
