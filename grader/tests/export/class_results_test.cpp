#include "export/class_results.hpp"

#include <fstream>

#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "catch.hpp"
#include "export/sample_class.hpp"
#include "report/sample.hpp"

using namespace grader;
using namespace testing;
namespace fs = std::filesystem;

namespace {

class ClassFolder {
 public:
  ClassFolder() : folder_("class") { write_class(path(), attacked_class()); }
  fs::path path() const { return folder_.path(); }
  fs::path alice() const { return path() / "results" / "alice" / "02-tiled-matmul.json"; }
  std::string text(const fs::path& file) const { return *read_file(file, 1U << 24U); }
  void replace(const fs::path& file, const std::string& old, const std::string& with) const {
    std::string bytes = text(file);
    REQUIRE(bytes.find(old) != std::string::npos);
    bytes.replace(bytes.find(old), old.size(), with);
    std::ofstream(file, std::ios::binary) << bytes;
  }
  /// What reading it complains about.
  std::string complaint() const {
    const auto read = read_class(path());
    REQUIRE_FALSE(read.has_value());
    CHECK(read.error().code == "WG-G55");
    return read.error().where->file + ": " + read.error().what;
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("a class reads back as it was written, byte for byte") {
  const ClassFolder folder;
  const auto read = read_class(folder.path());
  REQUIRE(read.has_value());
  CHECK(summary_json(read->summary) == folder.text(folder.path() / "summary.json"));
  REQUIRE(read->submissions.size() == 5);
  for (const GradedSubmission& one : read->submissions)
    CHECK(result_json(one.results.front()) ==
          folder.text(folder.path() / "results" / one.file_name / "02-tiled-matmul.json"));
}

TEST_CASE("answers to questions read back as they were written") {
  ClassResults all = attacked_class();
  Result& alice = all.submissions.at(1).results.front();
  alice.questions = some_answers();
  all.summary.rows.at(1) = class_row(alice, all.summary.rows.at(1).file);
  const TemporaryFolder folder("class");
  write_class(folder.path(), all);
  const auto read = read_class(folder.path());
  REQUIRE(read.has_value());
  CHECK(summary_json(read->summary) == summary_json(all.summary));
  CHECK(read->submissions.at(1).results.front().questions == some_answers());
}

TEST_CASE("what is known of the hand-ins reads back as it was written") {
  ClassResults all = attacked_class();
  all.summary.hand_ins["alice"] = {
      .lms = "gradescope",
      .people = {{.name = "Ada", .email = "a@x"}, {.name = "Bob", .sis_id = "007"}},
      .late = true,
      .submitted_at = "2026-11-21 09:12:33 Z",
      .not_taken = {"submission_4"},
      .same_bytes = {{"02-tiled-matmul", {"carol"}}},
      .notes = {"a note"}};
  const TemporaryFolder folder("class");
  write_class(folder.path(), all);
  const auto read = read_class(folder.path());
  REQUIRE(read.has_value());
  CHECK(read->summary.hand_ins == all.summary.hand_ins);
}

TEST_CASE("identities are read, and keys of later versions are ignored") {
  const ClassFolder folder;
  auto json = nlohmann::json::parse(folder.text(folder.path() / "summary.json"));
  json["results"][1]["identity"] = {
      {"email", "a@example.org"}, {"lms_id", "7"}, {"name", nullptr}, {"shoe_size", 43}};
  json["later"] = true;
  std::ofstream(folder.path() / "summary.json") << json.dump();
  const auto read = read_class(folder.path());
  REQUIRE(read.has_value());
  CHECK(read->submissions.at(1).identity == Identity{.email = "a@example.org", .lms_id = "7"});
}

TEST_CASE("a file that is missing, truncated, a link or of another version is named") {
  const ClassFolder missing;
  fs::remove(missing.alice());
  CHECK_THAT(missing.complaint(), contains("results/alice/02-tiled-matmul.json: No such file"));
  const ClassFolder cut;
  fs::resize_file(cut.alice(), 300);
  CHECK_THAT(cut.complaint(), contains("alice") && contains("truncated or damaged"));
  const ClassFolder link;
  fs::rename(link.alice(), link.path() / "elsewhere");
  fs::create_symlink(link.path() / "elsewhere", link.alice());
  CHECK_THAT(link.complaint(), contains("symbolic link"));
  const ClassFolder version;
  version.replace(version.alice(), "warpgrade.result/1", "warpgrade.result/2");
  CHECK_THAT(version.complaint(), contains("alice") && contains("warpgrade.result/2"));
  const ClassFolder nothing;
  fs::remove(nothing.path() / "summary.json");
  CHECK_THAT(nothing.complaint(), contains("summary.json: No such file"));
}

TEST_CASE("a result of another submission, or one that the summary does not refer to, is refused") {
  const ClassFolder foreign;
  foreign.replace(foreign.alice(), "\"submission\": \"alice\"", "\"submission\": \"mallory\"");
  CHECK_THAT(foreign.complaint(), contains("not the result that summary.json refers to"));
  const ClassFolder score;
  score.replace(score.alice(), "\"score\": 100", "\"score\": 99");
  CHECK_THAT(score.complaint(), contains("not the result"));
  const ClassFolder outside;
  outside.replace(outside.path() / "summary.json", "results/alice/", "results/../alice/");
  CHECK_THAT(outside.complaint(), contains("is not at results/"));
  const ClassFolder shared;
  shared.replace(shared.path() / "summary.json", "results/alice/", "results/carol/");
  CHECK_THAT(shared.complaint(), contains("folder of another"));
}

TEST_CASE("values of the wrong type are reported with their position") {
  const ClassFolder folder;
  folder.replace(folder.alice(), "\"status\": \"pass\"", "\"status\": 7");
  CHECK_THAT(folder.complaint(), contains("checks[0].status"));
  const ClassFolder negative;
  negative.replace(negative.alice(), "\"max_points\": 15", "\"max_points\": -15");
  CHECK_THAT(negative.complaint(), contains("checks[0].max_points"));
}

TEST_CASE("after a complete run, a lab without a result was not handed in and lacks no grade") {
  ClassResults all = attacked_class();
  all.summary.labs.emplace_back("03-reduction-divergence");
  const GradedSubmission& one = all.submissions.front();
  REQUIRE(one.find("03-reduction-divergence") == nullptr);
  CHECK_FALSE(all.lacks_grade(one));
  all.summary.interrupted = true;
  CHECK(all.lacks_grade(one));
  // Submissions that have nothing of the selected lab are left out, unless their results may be missing.
  CHECK(selected(all, {}, {"03"})->submissions.size() == all.submissions.size());
  all.summary.interrupted = false;
  CHECK(selected(all, {}, {"03"})->submissions.empty());
}

TEST_CASE("submissions and labs can be selected, unknown names are refused") {
  const auto some = selected(attacked_class(), {"alice"}, {"02-tiled-matmul"});
  REQUIRE(some.has_value());
  CHECK(some->submissions.size() == 1);
  CHECK(some->summary.rows.size() == 1);
  CHECK_THAT(selected(attacked_class(), {"alic"}, {}).error().what, contains("did you mean `alice`"));
  CHECK(selected(attacked_class(), {}, {"02"})->summary.labs == std::vector<std::string>{"02-tiled-matmul"});
  const auto unknown = selected(attacked_class(), {}, {"9"}).error();
  CHECK(unknown.code.empty());
  CHECK_THAT(unknown.what, contains("has no lab `9`"));
}
