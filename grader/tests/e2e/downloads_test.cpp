// `warpgrade grade` on downloads from LMSs.
#include "catch.hpp"
#include "e2e/class_fixture.hpp"
#include "packages/archives.hpp"
#include "schema_check.hpp"

namespace downloads_test {

using namespace testing;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

const std::string kSource = "tiled_matmul.cu";

/// A graded download in place of the folder of a class.
class DownloadFixture {
 public:
  Json grade(const std::string& name, const std::string& archive) const {
    const fs::path file = class_.out().parent_path() / name;
    write(file, archive);
    const Ended ended = warpgrade({"grade", file.string(), "--lab", "02-tiled-matmul", "--out",
                                   class_.out().string(), "--device", "virtual"});
    INFO(ended.err);
    CHECK(ended.code == 0);
    shown_ = ended.out;
    Json summary = Json::parse(text_of(class_.out() / "summary.json"));
    CHECK(SchemaCheck::of("summary.schema.json").problems(summary).empty());
    return summary;
  }
  const std::string& shown() const { return shown_; }
  fs::path out() const { return class_.out(); }

 private:
  ClassFixture class_;
  mutable std::string shown_;
};

std::vector<std::string> verdicts(const Json& summary) {
  std::vector<std::string> result;
  for (const Json& row : summary["results"])
    result.push_back(row["submission"].get<std::string>() + " " + row["verdict"].get<std::string>());
  return result;
}

}  // namespace

TEST_CASE("downloads of Canvas, Moodle and Gradescope are graded without changes", "[slow]") {
  const std::string broken = text_of(bad_input("does_not_compile"));
  const DownloadFixture canvas, moodle, gradescope;
  const Json of_canvas = canvas.grade(
      "submissions (1).zip",
      make_archive(Format::zip,
                   {{"doejane_1_10_tiled_matmul.cu", broken},
                    {"doejane_1_20_tiled_matmul-1.cu", text_of(solution())},
                    {"evil_2_11_lab.tar.gz", make_archive(Format::tar_gz, {{"../../" + kSource, broken}})},
                    {"roe_LATE_3_12_lab.zip",
                     make_archive(Format::zip, {{"lab/" + kSource, broken}, {"__MACOSX/lab/._x", "x"}})}}));
  CHECK(verdicts(of_canvas) ==
        std::vector<std::string>{"doejane_1 accepted", "evil_2 rejected", "roe_3 compile_error"});
  CHECK(of_canvas["results"][0]["identity"]["lms_id"] == "1");
  CHECK(of_canvas["results"][1]["code"] == "WG-S12");
  CHECK_THAT(canvas.shown(), contains("roe_3: late") && contains("not used: doejane_1_10_tiled_matmul.cu"));

  const Json of_moodle = moodle.grade(
      "moodle.zip", make_archive(Format::zip, {{"=Jane, Doe_7_assignsubmission_file_/" + kSource, broken}}));
  CHECK(verdicts(of_moodle) == std::vector<std::string>{"=Jane, Doe_7 compile_error"});
  CHECK_THAT(text_of(moodle.out() / "gradebook.csv"), contains("\"'=Jane, Doe_7\""));

  const Json of_gradescope = gradescope.grade(
      "export.zip",
      make_archive(
          Format::zip,
          {{"assignment_1_export/submission_metadata.yml",
            "submission_5:\n  :submitters:\n  - :name: Jane Doe\n    :sid: '007'\n    :email: j@x\n"},
           {"assignment_1_export/submission_5/" + kSource, broken}}));
  CHECK(verdicts(of_gradescope) == std::vector<std::string>{"submission_5 compile_error"});
  CHECK(of_gradescope["results"][0]["identity"]["sis_id"] == "007");
}

TEST_CASE("a download that mixes layouts is a usage error with advice") {
  const ClassFixture fixture;
  const fs::path file = fixture.out().parent_path() / "class.zip";
  write(file, make_archive(Format::zip, {{"doe_1_10_tiled_matmul.cu"}, {"alice/tiled_matmul.cu"}}));
  const Ended ended = warpgrade({"grade", file.string(), "--out", fixture.out().string()});
  CHECK(ended.code == 2);
  CHECK_THAT(ended.err, contains("WG-S16") && contains("--layout"));
  CHECK_FALSE(fs::exists(fixture.out()));
}

}  // namespace downloads_test
